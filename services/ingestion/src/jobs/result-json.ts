import type { JobResult } from '@anabranch/database/jobs';

/** What offsets in a result may count. */
export const offsetUnits = ['code-points', 'utf-16'] as const;

export type OffsetUnit = (typeof offsetUnits)[number];

/** A result as the API shows it: JSON in UTF-8. In pieces, so that a large one is not copied only to be in one. */
export interface ResultBody {
  chunks: readonly Uint8Array[];
  /** Of all chunks together. */
  bytes: number;
}

/** `rendered` are the results by analysis, as JSON, whose offsets count what `offsets` says. */
export function resultBody(
  result: JobResult,
  offsets: OffsetUnit,
  rendered: readonly { analysis: string; json: string | Uint8Array }[],
): ResultBody {
  const head = JSON.stringify(headOf(result, offsets)).slice(0, -1);
  const members = rendered.flatMap(({ analysis, json }, index) => {
    return [`${index === 0 ? '' : ','}${JSON.stringify(analysis)}:`, json];
  });
  const pieces = [`${head},"results":{`, ...members, '}}'];
  const texts = pieces.filter((piece) => typeof piece === 'string');
  const chunks = texts.length === pieces.length ? [Buffer.from(texts.join(''))] : pieces.map(bytesOf);
  return { chunks, bytes: chunks.reduce((sum, { byteLength }) => sum + byteLength, 0) };
}

/** Everything but the results. What has nothing to say is left out, as it is in results. */
function headOf(result: JobResult, offsets: OffsetUnit): object {
  const { jobId, documentId, revision, state, reason, supersededBy, resultVersion, resultDigest, final } = result;
  return {
    jobId,
    documentId,
    revision,
    state,
    ...(reason !== null && { reason }),
    ...(supersededBy !== null && { supersededBy }),
    resultVersion,
    ...(resultDigest !== null && { resultDigest }),
    final,
    offsets,
    receipt: result.receipt,
  };
}

const bytesOf = (piece: string | Uint8Array): Uint8Array => (typeof piece === 'string' ? Buffer.from(piece) : piece);
