import { Worker } from 'node:worker_threads';
import { PoisonMessage } from '@anabranch/failures';
import type { AnalysedOutcome } from '../analyse-document.js';
import type { WorkerReply, WorkerRequest } from './protocol.js';
import { rulesToSend, type WorkerMessage } from './rules-once.js';

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

export interface WorkerOptions {
  /** What the thread runs; `execArgv` are Node's options for it. Given by tests that run from source. */
  entry?: URL;
  execArgv?: string[];
  /** Memory of the thread's heap. */
  maxHeapMb?: number;
  /** Longest time for one document. */
  timeLimitMs?: number;
  /** The thread ends when it had nothing to do for so long: its memory is worth more than its start. */
  idleMs?: number;
}

type Limits = Required<WorkerOptions>;

interface Job {
  request: WorkerRequest;
  signal: AbortSignal;
  resolve(outcome: AnalysedOutcome): void;
  reject(error: unknown): void;
}

const defaults: Limits = {
  entry: new URL('./worker-thread.js', import.meta.url),
  execArgv: [],
  maxHeapMb: 192,
  timeLimitMs: 300_000,
  idleMs: 60_000,
};
const youngGenerationMb = 16;

const start = ({ entry, execArgv, maxHeapMb }: Limits): Worker =>
  new Worker(entry, {
    execArgv,
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMb, maxYoungGenerationSizeMb: youngGenerationMb },
  });

const outOfMemory = (maxHeapMb: number): PoisonMessage =>
  new PoisonMessage('LIMIT_EXCEEDED', `The analysis needed more memory for this document than ${maxHeapMb} MB.`);
const outOfTime = (timeLimitMs: number): PoisonMessage =>
  new PoisonMessage('LIMIT_EXCEEDED', `The analysis took longer for this document than ${timeLimitMs / 1_000} s.`);

const isOutOfMemory = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';

const errorOf = (reply: Exclude<WorkerReply, { kind: 'outcome' }>): Error => {
  if (reply.kind === 'poison') return new PoisonMessage(reply.code, reply.message);
  const error = new Error(reply.message);
  error.stack = reply.stack;
  return error;
};

/** The text's memory goes to the thread with it, unless others use the same memory. */
const transferable = ({ raw }: WorkerRequest): ArrayBuffer[] =>
  typeof raw !== 'string' && raw.buffer instanceof ArrayBuffer && raw.buffer.byteLength === raw.byteLength
    ? [raw.buffer]
    : [];

/** Gives one document to a thread. Rejects with what ends the thread, too; then the thread must not be used again. */
function ask(thread: Worker, { request, signal }: Job, limits: Limits): Promise<WorkerReply> {
  const { promise, resolve, reject } = Promise.withResolvers<WorkerReply>();
  const onAbort = (): void => reject(signal.reason);
  const onError = (error: unknown): void => reject(isOutOfMemory(error) ? outOfMemory(limits.maxHeapMb) : error);
  const onExit = (code: number): void => reject(new Error(`The worker thread ended with code ${code}.`));
  const timer = setTimeout(() => reject(outOfTime(limits.timeLimitMs)), limits.timeLimitMs);
  thread.once('message', resolve).once('error', onError).once('exit', onExit);
  signal.addEventListener('abort', onAbort, { once: true });
  const message: WorkerMessage = { ...request, rules: rulesToSend(thread, request.rules) };
  thread.postMessage(message, transferable(request));
  return promise.finally(() => {
    clearTimeout(timer);
    thread.off('message', resolve).off('error', onError).off('exit', onExit);
    signal.removeEventListener('abort', onAbort);
  });
}

/** A worker of one thread, started when it is first needed. */
export function createAnalysisWorker(options: WorkerOptions = {}): AnalysisWorker {
  const limits = { ...defaults, ...options };
  const waiting: Job[] = [];
  let isBusy = false;
  let thread: Worker | null = null;
  let idleTimer: NodeJS.Timeout | undefined;

  const end = async (): Promise<void> => {
    const ended = thread;
    thread = null;
    await ended?.terminate();
  };

  const begin = (): Worker => {
    const begun = start(limits);
    const forget = (): void => {
      if (thread === begun) thread = null;
    };
    // Whose document it was that ended the thread is seen in `ask`; without one, the next document starts another.
    return begun.on('error', forget).on('exit', forget);
  };

  const serve = async (job: Job): Promise<void> => {
    thread ??= begin();
    thread.ref();
    try {
      const reply = await ask(thread, job, limits);
      if (reply.kind === 'outcome') job.resolve(reply.outcome);
      else job.reject(errorOf(reply));
    } catch (error) {
      job.reject(error);
      await end();
    }
  };

  const rest = (): void => {
    thread?.unref();
    idleTimer = setTimeout(() => void end(), limits.idleMs).unref();
  };

  const serveAll = async (): Promise<void> => {
    isBusy = true;
    clearTimeout(idleTimer);
    for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) await serve(job);
    isBusy = false;
    rest();
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

    async stop() {
      clearTimeout(idleTimer);
      await end();
    },
  };
}

let shared: AnalysisWorker | null = null;

/** The one worker of this process: all its analyses share it, so that a long document takes one core, not five. */
export function processWorker(): AnalysisWorker {
  shared ??= createAnalysisWorker();
  return shared;
}
