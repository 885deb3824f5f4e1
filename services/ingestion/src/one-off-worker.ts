import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

export interface WorkerLimits {
  /** Threads at a time; the others wait. */
  maxWorkers: number;
  /** Longest time of one thread, from its start to its answer. */
  timeoutMs: number;
  /** Memory of one thread's heap. */
  maxHeapMb: number;
}

/** What a thread is given to work on. */
export interface WorkerTask {
  workerData: unknown;
  /** Memory that goes to the thread, and is gone here. */
  transferList?: ArrayBuffer[];
}

/**
 * Runs a program in a thread of its own, which answers with one message. Work that takes long is done so: the event loop
 * goes on, the limits hold, and the memory is gone with the thread. Rejects with what the program threw, or when it goes
 * beyond a limit. A task is a function: what it needs is read when its turn has come.
 */
export type OneOffWorkers = <T>(program: URL, prepare: () => Promise<WorkerTask>) => Promise<T>;

/** For one kind of work: each has its own limits and its own queue. */
export function createOneOffWorkers({ maxWorkers, ...limits }: WorkerLimits): OneOffWorkers {
  const slots = createSlots(maxWorkers);
  return (program, prepare) => slots(async () => runWorker(program, await prepare(), limits));
}

async function runWorker<T>(program: URL, task: WorkerTask, limits: Omit<WorkerLimits, 'maxWorkers'>): Promise<T> {
  const worker = new Worker(program, { ...task, resourceLimits: { maxOldGenerationSizeMb: limits.maxHeapMb } });
  // An error after the time-out, while the worker is being ended, interests nobody; unheard, it would end the process.
  worker.on('error', () => undefined);
  try {
    // `once` rejects when the worker emits an error: what the program threw, or the end of its memory.
    const [answer] = (await once(worker, 'message', { signal: AbortSignal.timeout(limits.timeoutMs) })) as [T];
    return answer;
  } finally {
    await worker.terminate();
  }
}

function createSlots(count: number): <T>(work: () => Promise<T>) => Promise<T> {
  let free = count;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    }
  };
}
