import { PoisonMessage } from '@anabranch/failures';
import type { AnalysedOutcome } from '../analyse-document.js';
import { createLazyThread, type Question, type WorkerOptions } from './lazy-thread.js';
import type { WorkerReply, WorkerRequest } from './protocol.js';

/** A thread of its own for documents that would hold up the others. */
export interface AnalysisWorker {
  /**
   * Analyses one document; several wait for each other, in the order of their calls.
   * @throws what the analysis throws; PoisonMessage LIMIT_EXCEEDED when it takes more memory or time than it may; the
   *   signal's reason, at once, when it is aborted
   */
  run(request: WorkerRequest, signal: AbortSignal): Promise<AnalysedOutcome>;
  /** Ends the thread. Another call of `run` would start a new one. */
  stop(): Promise<void>;
}

interface Job extends Question {
  resolve(outcome: AnalysedOutcome): void;
  reject(error: unknown): void;
}

const errorOf = (reply: Exclude<WorkerReply, { kind: 'outcome' }>): Error => {
  if (reply.kind === 'poison') return new PoisonMessage(reply.code, reply.message);
  const error = new Error(reply.message);
  error.stack = reply.stack;
  return error;
};

/** A worker of one thread, started when it is first needed. */
export function createAnalysisWorker(options: WorkerOptions = {}): AnalysisWorker {
  const thread = createLazyThread(options);
  const waiting: Job[] = [];
  let isBusy = false;

  const serve = async (job: Job): Promise<void> => {
    try {
      const reply = await thread.ask(job);
      if (reply.kind === 'outcome') job.resolve(reply.outcome);
      else job.reject(errorOf(reply));
    } catch (error) {
      job.reject(error);
    }
  };

  const serveAll = async (): Promise<void> => {
    isBusy = true;
    for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) await serve(job);
    isBusy = false;
    thread.rest();
  };

  return {
    async run(request, signal) {
      signal.throwIfAborted();
      const { promise, resolve, reject } = Promise.withResolvers<AnalysedOutcome>();
      const job: Job = { request, signal, resolve, reject };
      const giveUp = (): void => {
        const place = waiting.indexOf(job);
        if (place === -1) return;
        waiting.splice(place, 1);
        reject(signal.reason);
      };
      signal.addEventListener('abort', giveUp, { once: true });
      waiting.push(job);
      if (!isBusy) void serveAll();
      return promise.finally(() => signal.removeEventListener('abort', giveUp));
    },
    stop: () => thread.end(),
  };
}

let shared: AnalysisWorker | null = null;

/** The one worker of this process: all its analyses share it, so that a long document takes one core, not five. */
export function processWorker(): AnalysisWorker {
  shared ??= createAnalysisWorker();
  return shared;
}
