import { Readable } from 'node:stream';
import { isSettled } from '@anabranch/job';
import type { JobView } from '@anabranch/database/jobs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { jobPath } from '../jobs/job-json.js';
import type { JobReader } from '../jobs/job-reader.js';
import type { SettlementWatch } from '../jobs/settlement-watch.js';
import { preferredWaitSeconds } from './prefer-wait.js';

/** A body is held until its request is answered, so only those who sent a short one may wait: 500 of them have 32 MB. */
const waitMaxBodyBytes = 65_536;

export interface ResultWaiting {
  watch: SettlementWatch;
  jobs: Pick<JobReader, 'result' | 'job'>;
}

export interface WaitingRequest {
  request: FastifyRequest;
  reply: FastifyReply;
  tenantId: string;
  bodyBytes: number;
}

/**
 * With `Prefer: wait=N`, the result of a job that settles within N seconds, and its headers; null when none was asked for, or
 * none came: then the answer is the job, as it is without the preference.
 */
export async function waitForResult(
  job: JobView,
  { watch, jobs }: ResultWaiting,
  { request, reply, tenantId, bodyBytes }: WaitingRequest,
): Promise<Readable | null> {
  const seconds = preferredWaitSeconds(request.headers.prefer);
  if (seconds === 0 || bodyBytes > waitMaxBodyBytes) return null;
  const isThere =
    isSettled(job.state) || (await watch.wait(job.id, { ms: seconds * 1_000, signal: goneSignal(reply) }));
  if (!isThere) return null;
  const { chunks, bytes } = await jobs.result(tenantId, { jobId: job.id, offsets: 'code-points' });
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
