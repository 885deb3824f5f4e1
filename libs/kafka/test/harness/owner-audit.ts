import type { LogLine } from '@anabranch/test-support';

/** One process that was a member of the group: what it said, in order. */
export interface Owner {
  readonly name: string;
  readonly lines: readonly LogLine[];
}

/** A broken promise, and where. */
export interface Breach {
  readonly promise: string;
  readonly what: string;
}

interface Started {
  readonly documentId: string;
  readonly partition: number;
  readonly offset: number;
  readonly attempt: number;
  readonly tenure: number;
  readonly isAborted: boolean;
  readonly parks: boolean;
}

/** What one key has done in one tenure. */
interface KeyState {
  last: Started;
  /** It has failed, and is neither settled nor done. */
  isOpen: boolean;
}

/**
 * What has to hold inside of every process, from its own lines: per key no overlap, and offset order within one assignment;
 * nothing starts after the loss of its partition; handlers are bounded.
 */
export function auditOwner({ name, lines }: Owner, maxInFlight: number): Breach[] {
  const breaches: Breach[] = [];
  const running = new Map<string, Started>();
  const keys = new Map<string, KeyState>();
  const note = (promise: string, { documentId, partition, offset }: Started, what: string): void => {
    breaches.push({ promise, what: `${name}: ${documentId} at ${partition}/${offset} ${what}` });
  };
  const start = (record: Started): void => {
    const busy = running.get(record.documentId);
    if (busy !== undefined) note('one key never overlaps', record, `starts while ${busy.offset} runs`);
    if (record.isAborted) note('nothing starts after the loss', record, 'starts although its partition was lost');
    running.set(record.documentId, record);
    const holding = [...running.values()].filter(({ parks }) => !parks).length;
    if (holding > maxInFlight) note('in-flight is bounded', record, `is number ${holding}`);
    const tenureAndKey = `${record.tenure} ${record.documentId}`;
    const state = keys.get(tenureAndKey);
    if (state !== undefined) {
      const { last, isOpen } = state;
      if (record.offset < last.offset) note('a key keeps its order', record, `starts after ${last.offset}`);
      if (record.offset > last.offset && isOpen) {
        note('a record ends before the next of its key', record, `starts while ${last.offset} is not settled`);
      }
    }
    if (record.attempt > 1 && record.offset !== state?.last.offset) {
      note('a key keeps its order', record, 'is tried again after another one of its key');
    }
    keys.set(tenureAndKey, { last: record, isOpen: false });
  };
  for (const line of lines) {
    const record = line as unknown as Started;
    if (line['msg'] === 'started') start(record);
    if (line['msg'] === 'finished' || line['msg'] === 'failed') running.delete(record.documentId);
    const ended = [...keys.values()].filter(({ last }) => isSame(last, record));
    if (line['msg'] === 'failed') for (const state of ended) state.isOpen = state.last.tenure === record.tenure;
    if (line['msg'] === 'settled' || line['msg'] === 'deferred') for (const state of ended) state.isOpen = false;
  }
  return breaches;
}

function isSame(a: Started, b: Started): boolean {
  return a.documentId === b.documentId && a.partition === b.partition && a.offset === b.offset;
}
