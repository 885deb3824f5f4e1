// Content of jobs that is in the object store. What a claim check announces may not be there: those that came straight
// through Kafka were never seen by ingestion, and objects can be lost.
import type { ContentRef } from '@anabranch/contracts';
import type { JobResult, JobText } from '@anabranch/database/jobs';
import { PoisonMessage } from '@anabranch/failures';
import type { ObjectStore } from '@anabranch/object-store';
import { cleanText } from '@anabranch/text';
import { Problem } from '../http/problem.js';
import type { StoredResult } from './render-results.js';

type Reader = Pick<ObjectStore, 'get'>;

/**
 * All results of a job, ordered by the analyses' names: those that are there, and those behind claim checks. Throws the
 * problem CONTENT_UNREADABLE, or DependencyUnavailable.
 */
export async function readResults(
  store: Reader,
  tenantId: string,
  { results, resultRefs }: Pick<JobResult, 'results' | 'resultRefs'>,
): Promise<StoredResult[]> {
  const inline = Object.entries(results).map(([analysis, value]) => ({ analysis, value }));
  const fetched = Object.entries(resultRefs).map(async ([analysis, ref]) => {
    return { analysis, json: await fetchContent(store, { ref, tenantId, what: `result of ${analysis}` }) };
  });
  const all: StoredResult[] = [...inline, ...(await Promise.all(fetched))];
  return all.sort((a, b) => (a.analysis < b.analysis ? -1 : 1));
}

/**
 * The cleaned text of a job, as a string or as UTF-8. Throws the problem CONTENT_UNREADABLE, or DependencyUnavailable.
 */
export async function readText(
  store: Reader,
  tenantId: string,
  { text, textRef, textSha256 }: JobText,
): Promise<string | Buffer> {
  if (textRef === null) return text ?? '';
  const bytes = await fetchContent(store, { ref: textRef, tenantId, what: 'text' });
  // A claim check that came through Kafka may hold text that nobody has cleaned. Else megabytes are not touched.
  return textRef.sha256 === textSha256 ? bytes : cleanText(bytes.toString('utf8'));
}

/** The text that offsets are counted in, as it is stored: bytes of it are UTF-8, and not cleaned. Throws as `readText`. */
export async function readTextOfOffsets(
  store: Reader,
  tenantId: string,
  { text, textRef }: JobText,
): Promise<string | Uint8Array> {
  if (textRef === null) return text ?? '';
  const besides = 'With offsets=code-points, which need no text, the result can be read.';
  return fetchContent(store, { ref: textRef, tenantId, what: 'text', besides });
}

interface Wanted {
  ref: ContentRef;
  tenantId: string;
  /** For the caller, such as `text`. */
  what: string;
  /** What else the caller can do when it is gone. */
  besides?: string;
}

async function fetchContent(store: Reader, { ref, tenantId, what, besides = '' }: Wanted): Promise<Buffer> {
  try {
    return await store.get(ref, tenantId);
  } catch (error) {
    if (!(error instanceof PoisonMessage)) throw error;
    throw unreadable({ what, besides, reason: error.code, cause: error });
  }
}

/** The problem for a result that is no JSON, or has offsets outside of the text. */
export function unreadableResult(analysis: string): Problem {
  return unreadable({ what: `result of ${analysis}`, besides: '', reason: 'CONTENT_MISMATCH' });
}

interface Unreadable extends Required<Pick<Wanted, 'what' | 'besides'>> {
  reason: string;
  cause?: unknown;
}

function unreadable({ what, besides, reason, cause }: Unreadable): Problem {
  const matter = reason === 'CONTENT_MISSING' ? 'is not in the object store' : 'differs from what was announced';
  const fix = 'Have the object restored if it was lost, or send the document again.';
  const detail = `The ${what} ${matter}. ${fix} ${besides}`.trimEnd();
  return new Problem('CONTENT_UNREADABLE', detail, { extensions: { reason, content: what }, cause });
}
