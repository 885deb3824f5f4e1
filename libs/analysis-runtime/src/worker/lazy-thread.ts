import { Worker } from 'node:worker_threads';
import { PoisonMessage } from '@anabranch/failures';
import type { WorkerReply, WorkerRequest } from './protocol.js';
import { rulesToSend, type WorkerMessage } from './rules-once.js';

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

/** One document for the thread, and for how long it is wanted. */
export interface Question {
  request: WorkerRequest;
  signal: AbortSignal;
}

/** A thread that is there when it is needed, and not for much longer. */
export interface LazyThread {
  /**
   * Asks about one document; one at a time.
   * @throws PoisonMessage LIMIT_EXCEEDED; the signal's reason; what ends the thread. The next question starts another.
   */
  ask(question: Question): Promise<WorkerReply>;
  /** There is no further question for now. */
  rest(): void;
  /** Ends the thread. */
  end(): Promise<void>;
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
  new PoisonMessage(
    'LIMIT_EXCEEDED',
    `The analysis needed more memory for this document than ${maxHeapMb} MB. Send it in parts.`,
  );
const outOfTime = (timeLimitMs: number): PoisonMessage =>
  new PoisonMessage(
    'LIMIT_EXCEEDED',
    `The analysis took longer for this document than ${timeLimitMs / 1_000} s. Send it in parts.`,
  );

const isOutOfMemory = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';

/** The text's memory goes to the thread with it, unless others use the same memory. */
const transferable = ({ raw }: WorkerRequest): ArrayBuffer[] =>
  typeof raw !== 'string' && raw.buffer instanceof ArrayBuffer && raw.buffer.byteLength === raw.byteLength
    ? [raw.buffer]
    : [];

/** Gives one document to a thread. Rejects with what ends the thread, too; then the thread must not be used again. */
function ask(thread: Worker, { request, signal }: Question, limits: Limits): Promise<WorkerReply> {
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

/** A thread, started with the first question. */
export function createLazyThread(options: WorkerOptions): LazyThread {
  const limits = { ...defaults, ...options };
  let thread: Worker | null = null;
  let idleTimer: NodeJS.Timeout | undefined;

  const end = async (): Promise<void> => {
    clearTimeout(idleTimer);
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

  return {
    end,
    async ask(question) {
      clearTimeout(idleTimer);
      thread ??= begin();
      thread.ref();
      try {
        return await ask(thread, question, limits);
      } catch (error) {
        void end();
        throw error;
      }
    },
    rest() {
      thread?.unref();
      idleTimer = setTimeout(() => void end(), limits.idleMs).unref();
    },
  };
}
