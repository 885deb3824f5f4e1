import { createHash } from 'node:crypto';
import type { AnalysisFinishedInput } from '@anabranch/contracts';
import { objectKey, type ObjectStore } from '@anabranch/object-store';
import type { PackedOutcome } from './result.js';

/**
 * Puts the result of a packed outcome into the store, and leaves a claim check. The key holds the content's hash, so
 * another version of the engine never meets what this one wrote.
 * @throws DependencyUnavailable
 */
export async function checkIn(
  analysis: string,
  { event, content }: PackedOutcome,
  store: Pick<ObjectStore, 'put'>,
): Promise<AnalysisFinishedInput> {
  if (content === null) return event;
  const { tenantId, documentId, revision, run } = event;
  const digest = createHash('sha256').update(content).digest('hex').slice(0, 16);
  const key = objectKey({ tenantId, documentId, revision, name: `${analysis}.${run}.${digest}.json` });
  return { ...event, resultRef: await store.put(key, content) };
}
