import { setImmediate } from 'node:timers/promises';
import { Fifo } from '../fifo.js';
import type { OutgoingRecord } from './send-port.js';

/** How much one request may carry: the broker refuses a batch above its limit (1 MB), and the client does not split. */
export interface BatchLimits {
  readonly maxBytes: number;
  readonly maxRecords: number;
}

interface Waiting {
  readonly record: OutgoingRecord;
  readonly bytes: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The records of one partition on their way to the broker.
 *
 * Invariant: one send is outstanding at a time, and the next begins when it has settled: without it order would be lost,
 * with or without faults. A batch is what waited meanwhile, and what comes in the same turn of the event loop: where one
 * answer of a database ends many handlers, their records go together. Nothing waits for a timer.
 */
export class SendLane {
  private readonly waiting = new Fifo<Waiting>();
  private isSending = false;

  constructor(
    private readonly send: (records: readonly OutgoingRecord[]) => Promise<void>,
    private readonly limits: BatchLimits,
  ) {}

  /** Resolves when the broker has it. */
  push(record: OutgoingRecord): Promise<void> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ record, bytes: sizeOf(record), resolve, reject });
      if (!this.isSending) void this.drain();
    });
  }

  private async drain(): Promise<void> {
    this.isSending = true;
    await setImmediate();
    while (this.waiting.size > 0) {
      const batch = this.cutBatch();
      try {
        await this.send(batch.map(({ record }) => record));
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.isSending = false;
  }

  /** At least one record, however large: it fails alone, if it fails. */
  private cutBatch(): Waiting[] {
    const batch: Waiting[] = [];
    let bytes = 0;
    for (let next = this.waiting.peek(); next !== undefined; next = this.waiting.peek()) {
      bytes += next.bytes;
      if (batch.length > 0 && (bytes > this.limits.maxBytes || batch.length >= this.limits.maxRecords)) break;
      this.waiting.shift();
      batch.push(next);
    }
    return batch;
  }
}

/** More than the lengths of its numbers and attributes ever take. */
const recordOverheadBytes = 40;
const headerOverheadBytes = 10;

/** An upper bound of what a record takes in a batch. */
export function sizeOf({ key, value, headers }: OutgoingRecord): number {
  const lengths = headers.map(
    ([name, content]) => headerOverheadBytes + Buffer.byteLength(name) + (content?.length ?? 0),
  );
  return lengths.reduce((sum, length) => sum + length, recordOverheadBytes + (key?.length ?? 0) + (value?.length ?? 0));
}
