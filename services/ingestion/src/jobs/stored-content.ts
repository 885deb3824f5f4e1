// Content of jobs that is in the object store. What a claim check announces may not be there: those that came straight
// through Kafka were never seen by ingestion, and objects can be lost.
import type { ContentRef } from '@anabranch/contracts';
import type { JobText } from '@anabranch/database/jobs';
import { PoisonMessage } from '@anabranch/failures';
import type { ObjectStore } from '@anabranch/object-store';
import { cleanText } from '@anabranch/text';
import { Problem } from '../http/problem.js';

type Reader = Pick<ObjectStore, 'get'>;

/** The results behind claim checks, by analysis. Throws the problem CONTENT_UNREADABLE, or DependencyUnavailable. */
export async function readResults(store: Reader, tenantId: string, refs: Record<string, ContentRef>) {
  const entries = Object.entries(refs).map(async ([analysis, ref]) => {
    const bytes = await fetchContent(store, { ref, tenantId, what: `result of ${analysis}` });
    return [analysis, parseResult(bytes, analysis)] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

/** The cleaned text of a job. Throws the problem CONTENT_UNREADABLE, or DependencyUnavailable. */
export async function readText(store: Reader, tenantId: string, { text, textRef }: JobText): Promise<string> {
  if (textRef === null) return text ?? '';
  // A claim check that came through Kafka may hold text that nobody has cleaned.
  return cleanText((await fetchContent(store, { ref: textRef, tenantId, what: 'text' })).toString('utf8'));
}

interface Wanted {
  ref: ContentRef;
  tenantId: string;
  /** For the caller, such as `text`. */
  what: string;
}

async function fetchContent(store: Reader, { ref, tenantId, what }: Wanted): Promise<Buffer> {
  try {
    return await store.get(ref, tenantId);
  } catch (error) {
    if (!(error instanceof PoisonMessage)) throw error;
    throw unreadable(what, error.code, error);
  }
}

/** Whoever publishes results writes their objects: what is in them is not known to be JSON. */
function parseResult(bytes: Buffer, analysis: string): unknown {
  try {
    return JSON.parse(bytes.toString('utf8')) as unknown;
  } catch {
    // The engine's message is not passed on: it quotes the result.
    throw unreadable(`result of ${analysis}`, 'CONTENT_MISMATCH');
  }
}

function unreadable(what: string, reason: string, cause?: unknown): Problem {
  const matter = reason === 'CONTENT_MISSING' ? 'is not in the object store' : 'differs from what was announced';
  return new Problem(
    'CONTENT_UNREADABLE',
    `The ${what} ${matter}. Have the object restored if it was lost, or send the document again.`,
    { extensions: { reason, content: what }, cause },
  );
}
