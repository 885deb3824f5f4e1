import { PoisonMessage } from '@anabranch/failures';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Dispatcher, type DispatcherOptions } from '../src/outbox/dispatcher.js';
import type { OutboxRow } from '../src/outbox/rows.js';

/** An outbox and a broker in memory; every answer comes when the scheduler says so. */
class World {
  readonly rows: OutboxRow[] = [];
  readonly log: OutboxRow[] = [];
  readonly removed: number[] = [];
  readonly blocked: OutboxRow[] = [];
  readonly inFlight = new Map<string, number>();
  mostInFlight = 0;

  constructor(
    private readonly answer: <T>(value: T, label: string) => Promise<T>,
    private readonly sendFails: () => boolean,
  ) {}

  options(maxRows = 6): DispatcherOptions<OutboxRow> {
    return {
      rows: {
        read: async (excluded, limit) => {
          const found = this.rows.filter(({ number }) => !excluded.includes(number)).slice(0, limit);
          return this.answer(found, 'read');
        },
        remove: async (numbers) => {
          await this.answer(null, 'remove');
          for (const number of numbers) {
            this.removed.push(number);
            this.rows.splice(
              this.rows.findIndex((row) => row.number === number),
              1,
            );
          }
        },
      },
      render: (rowIds) => {
        const rendered = this.rows.filter(({ rowId }) => rowIds.includes(rowId));
        return this.answer(new Map(rendered.map((row) => [row.rowId, row])), 'render');
      },
      publish: (row) => this.publish(row),
      onPublished: () => undefined,
      onBlocked: (row) => this.blocked.push(row),
      onFailed: () => undefined,
      maxRows,
      sendTimeoutMs: 60_000,
    };
  }

  private async publish(row: OutboxRow): Promise<void> {
    const count = (this.inFlight.get(row.document) ?? 0) + 1;
    this.mostInFlight = Math.max(this.mostInFlight, count);
    this.inFlight.set(row.document, count);
    // Written, and perhaps the answer is lost: a rejection says nothing about the log.
    this.log.push(row);
    const fails = this.sendFails();
    await this.answer(null, 'publish');
    this.inFlight.set(row.document, count - 1);
    if (fails) throw new Error('the answer was lost');
  }
}

/** The first time that each row of a document stands in the log. */
function firstTimes(log: readonly OutboxRow[], document: string): number[] {
  return [...new Set(log.filter((row) => row.document === document).map(({ number }) => number))];
}

const documents = ['a', 'b', 'c'];

describe('the outbox dispatcher', () => {
  test('publishes every row, in order per document, one at a time, and removes it only after its acknowledgement', async () => {
    const addedRows = fc.array(fc.constantFrom(...documents), { minLength: 1, maxLength: 14 });
    const sendFailures = fc.infiniteStream(fc.integer({ min: 0, max: 3 }).map((value) => value === 0));
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), addedRows, sendFailures, async (scheduler, added, failures) => {
        const world = new World(
          (value, label) => scheduler.schedule(Promise.resolve(value), label),
          () => failures.next().value === true,
        );
        const dispatcher = new Dispatcher(world.options());
        added.forEach((document, at) => {
          const row = { number: at + 1, rowId: `row ${at + 1}`, document };
          void scheduler.schedule(Promise.resolve(), 'commit').then(() => {
            world.rows.push(row);
            world.rows.sort((one, other) => one.number - other.number);
            dispatcher.wake();
          });
        });
        for (let sweep = 0; sweep < 500 && world.removed.length < added.length; sweep++) {
          dispatcher.sweep();
          await scheduler.waitIdle();
        }
        expect(world.removed.toSorted((one, other) => one - other)).toEqual(added.map((_, at) => at + 1));
        expect(world.mostInFlight).toBe(1);
        for (const number of world.removed) expect(world.log.some((row) => row.number === number)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  test('keeps a document’s order in the log when sends fail and rows are read again', async () => {
    const sendFailures = fc.infiniteStream(fc.boolean());
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), sendFailures, async (scheduler, failures) => {
        const world = new World(
          (value, label) => scheduler.schedule(Promise.resolve(value), label),
          () => failures.next().value === true,
        );
        world.rows.push(
          ...Array.from({ length: 9 }, (_, at) => ({
            number: at,
            rowId: String(at),
            document: documents[at % 3] ?? '',
          })),
        );
        const dispatcher = new Dispatcher(world.options(4));
        for (let sweep = 0; sweep < 500 && world.rows.length > 0; sweep++) {
          dispatcher.sweep();
          await scheduler.waitIdle();
        }
        expect(world.rows).toEqual([]);
        for (const document of documents) {
          const numbers = firstTimes(world.log, document);
          expect(numbers).toEqual(numbers.toSorted((one, other) => one - other));
        }
      }),
      { numRuns: 300 },
    );
  });

  test('sends nothing after it was told to stop, and removes what is acknowledged meanwhile', async () => {
    const pending: (() => void)[] = [];
    const world = new World(
      (value, label) =>
        label === 'publish' ? new Promise((resolve) => pending.push(() => resolve(value))) : Promise.resolve(value),
      () => false,
    );
    world.rows.push({ number: 1, rowId: '1', document: 'a' }, { number: 2, rowId: '2', document: 'a' });
    const dispatcher = new Dispatcher(world.options());
    dispatcher.sweep();
    await settled(() => pending.length === 1);
    const drained = dispatcher.drain();
    pending.forEach((answer) => answer());
    await drained;
    expect(world.removed).toEqual([1]);
    expect(world.log.map(({ number }) => number)).toEqual([1]);
  });

  test('lets an event that can never be published hold up its own document only', async () => {
    const world = new World(
      (value) => Promise.resolve(value),
      () => false,
    );
    world.rows.push(...['a', 'b', 'a', 'b'].map((document, at) => ({ number: at, rowId: String(at), document })));
    const options = world.options();
    const publish = (row: OutboxRow): Promise<void> =>
      row.document === 'a' ? Promise.reject(new PoisonMessage('INVALID_EVENT', 'too odd')) : options.publish(row);
    const dispatcher = new Dispatcher({ ...options, publish });
    dispatcher.sweep();
    await settled(() => world.removed.length === 2);
    expect(world.removed).toEqual([1, 3]);
    expect(world.blocked.map(({ number }) => number)).toEqual([0]);
  });

  test('ends when a send takes too long, so that the producer can be closed', async () => {
    const world = new World(
      (value, label) => (label === 'publish' ? new Promise(() => undefined) : Promise.resolve(value)),
      () => false,
    );
    world.rows.push({ number: 1, rowId: '1', document: 'a' });
    const dispatcher = new Dispatcher({ ...world.options(), sendTimeoutMs: 20 });
    dispatcher.sweep();
    await expect(dispatcher.failure).rejects.toMatchObject({ dependency: 'kafka' });
    expect(world.removed).toEqual([]);
  });
});

/** Lets promises that are ready run until the condition holds. */
async function settled(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}
