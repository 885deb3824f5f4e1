import { Readable } from 'node:stream';
import { DependencyUnavailable } from '@anabranch/failures';
import { isSettled } from '@anabranch/job';
import type { JobView } from '@anabranch/database/jobs';
import type { Logger } from '@anabranch/service-host';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../http/problem.js';
import { accessOf } from '../http/request.js';
import { jobPath } from '../jobs/job-json.js';
import type { JobReader } from '../jobs/job-reader.js';
import type { SettlementWatch } from '../jobs/settlement-watch.js';
import { preferredWaitSeconds } from './prefer-wait.js';

/** A body is held until its request is answered, so only those who sent a short one may wait: 500 of them have 32 MB. */
const waitMaxBodyBytes = 65_536;

export interface ResultWaiting {
  watch: SettlementWatch;
  jobs: Pick<JobReader, 'result'>;
  log: Pick<Logger, 'warn' | 'error'>;
}

export interface WaitingRequest {
  request: FastifyRequest;
  reply: FastifyReply;
  bodyBytes: number;
}

/**
 * With `Prefer: wait=N`, the result of a job that settles within N seconds, and its headers; null when none was asked for, or
 * none came, or the caller may not read it: then the answer is the job, as it is without the preference.
 */
export async function waitForResult(
  job: JobView,
  { watch, jobs, log }: ResultWaiting,
  { request, reply, bodyBytes }: WaitingRequest,
): Promise<Readable | null> {
  const seconds = preferredWaitSeconds(request.headers.prefer);
  const { tenantId, scopes } = accessOf(request);
  if (seconds === 0 || bodyBytes > waitMaxBodyBytes || !scopes.includes('documents:read')) return null;
  const isThere =
    isSettled(job.state) || (await watch.wait(job.id, { ms: seconds * 1_000, signal: goneSignal(reply) }));
  if (!isThere) return null;
  const result = await jobs.result(tenantId, { jobId: job.id, offsets: 'code-points' }).catch((error: unknown) => {
    // The document was accepted, and nothing else may be said. What the result's own address answers is no news.
    if (error instanceof Problem) return null;
    const level = error instanceof DependencyUnavailable ? 'warn' : 'error';
    log[level]({ err: error, jobId: job.id, requestId: request.id }, 'a result that was waited for cannot be shown');
    return null;
  });
  if (result === null) return null;
  const { chunks, bytes } = result;
  reply.code(200).type('application/json; charset=utf-8').header('content-length', bytes);
  reply.header('content-location', `${jobPath(job.id)}/result`).header('preference-applied', `wait=${seconds}`);
  return Readable.from(chunks);
}

/** Nobody waits for a client that is gone. */
function goneSignal({ raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  raw.once('close', () => gone.abort());
  return gone.signal;
}
