import { createHash } from 'node:crypto';
import type { Sensitivity } from '@anabranch/contracts';
import { rulesLabels } from '@anabranch/rules';

/** What of a revision decides what an analysis says, besides which analyses were asked for. */
export interface Content {
  /** SHA-256 of the cleaned text, lower-case hex. */
  readonly textSha256: string;
  readonly mediaType: string;
  readonly sensitivity: Sensitivity;
  readonly metadata: Readonly<Record<string, string>>;
}

/**
 * Hash by which the same content is recognised when it is sent again, whichever way it came first (semantics §1). Deadline
 * and priority are not in it.
 */
export function contentSha256Of({ textSha256, mediaType, sensitivity, metadata }: Content): string {
  const parts = [textSha256, mediaType, sensitivity, ...rulesNamedIn(metadata)];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

/** The labels that choose the rules by which the document is judged; no others change what an analysis says. */
function rulesNamedIn(metadata: Content['metadata']): string[] {
  return Object.values(rulesLabels).flatMap((label) => {
    const id = metadata[label];
    return id === undefined ? [] : [`${label}=${id}`];
  });
}
