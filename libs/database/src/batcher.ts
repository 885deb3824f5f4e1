import { hash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';

export interface BatcherOptions<T, R> {
  /** How many batches may be under way at once. Items of one key are always in the same lane, so they stay in order. */
  lanes: number;
  /** Most items of one batch. */
  maxItems: number;
  /** What belongs together, such as a document. */
  keyOf(item: T): string;
  /** Works a batch in one go. Gives one answer for each item, in order; an Error is the answer of its item alone. */
  run(items: readonly T[]): Promise<readonly (R | Error)[]>;
}

/** Collects items that wait into batches. */
export interface Batcher<T, R> {
  /** Resolves when the item's batch was worked; rejects with the item's error, or with the batch's. */
  add(item: T): Promise<R>;
}

interface Waiting<T, R> {
  item: T;
  resolve(result: R): void;
  reject(error: unknown): void;
}

/**
 * A batch is what waits while the previous one of its lane is under way, and what comes in the same turns of the event loop:
 * never a timer, so an idle system adds no wait and a busy one forms large batches by itself (architecture §11).
 */
export function createBatcher<T, R>(options: BatcherOptions<T, R>): Batcher<T, R> {
  const lanes = Array.from({ length: options.lanes }, () => createLane(options));
  return {
    add: (item) =>
      new Promise((resolve, reject) => lanes[laneOf(options.keyOf(item), lanes.length)]?.({ item, resolve, reject })),
  };
}

/** So many turns at most, or a stream that never pauses would be a batch that never goes. */
const mostTurns = 4;

function createLane<T, R>({ maxItems, run }: BatcherOptions<T, R>): (waiting: Waiting<T, R>) => void {
  let queue: Waiting<T, R>[] = [];
  let isRunning = false;

  /** What comes in a stream goes on together: a batch is whole when a turn of the event loop has added nothing to it. */
  const gather = async (): Promise<void> => {
    let known = 0;
    for (let turns = 0; turns < mostTurns && queue.length > known && queue.length < maxItems; turns++) {
      known = queue.length;
      await setImmediate();
    }
  };

  const work = async (): Promise<void> => {
    isRunning = true;
    while (queue.length > 0) {
      await gather();
      const batch = queue.slice(0, maxItems);
      queue = queue.slice(maxItems);
      await answer(batch, run);
    }
    isRunning = false;
  };

  return (waiting) => {
    queue.push(waiting);
    if (!isRunning) void work();
  };
}

async function answer<T, R>(batch: readonly Waiting<T, R>[], run: BatcherOptions<T, R>['run']): Promise<void> {
  try {
    const results = await run(batch.map(({ item }) => item));
    batch.forEach(({ resolve, reject }, at) => {
      const result = results[at];
      if (result instanceof Error) reject(result);
      else resolve(result as R);
    });
  } catch (error) {
    batch.forEach(({ reject }) => reject(error));
  }
}

function laneOf(key: string, lanes: number): number {
  return lanes === 1 ? 0 : hash('sha1', key, 'buffer').readUInt32BE(0) % lanes;
}
