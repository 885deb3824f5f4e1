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
  readonly setAside: string[] = [];
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
            this.take(number);
          }
        },
        setAside: async (number) => {
          await this.answer(null, 'set aside');
          return `job of ${this.take(number)?.rowId}`;
        },
      },
      render: (rowIds) => {
        const rendered = this.rows.filter(({ rowId }) => rowIds.includes(rowId));
        return this.answer(new Map(rendered.map((row) => [row.rowId, row])), 'render');
      },
      publish: (row) => this.publish(row),
      onPublished: () => undefined,
      onSetAside: (jobId) => this.setAside.push(jobId),
      onFailed: () => undefined,
      maxRows,
      sendTimeoutMs: 60_000,
    };
  }

  private take(number: number): OutboxRow | undefined {
    return this.rows.splice(
      this.rows.findIndex((row) => row.number === number),
      1,
    )[0];
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

  test('puts an event aside that can never be published, and lets the later ones of its document go on', async () => {
    const world = new World(
      (value) => Promise.resolve(value),
      () => false,
    );
    const added = Array.from({ length: 40 }, (_, at) => ({
      number: at,
      rowId: String(at),
      document: at % 2 ? 'b' : 'a',
    }));
    world.rows.push(...added);
    const options = world.options();
    const isOdd = ({ number }: OutboxRow): boolean => number % 4 === 0;
    const publish = (row: OutboxRow): Promise<void> =>
      isOdd(row) ? Promise.reject(new PoisonMessage('RESULT_TOO_LARGE', 'too large')) : options.publish(row);
    const dispatcher = new Dispatcher({ ...options, publish });
    dispatcher.sweep();
    await settled(() => world.rows.length === 0);
    expect(world.setAside.toSorted()).toEqual(
      added
        .filter(isOdd)
        .map(({ rowId }) => `job of ${rowId}`)
        .sort(),
    );
    for (const document of ['a', 'b']) {
      const sound = added.filter((row) => row.document === document && !isOdd(row));
      expect(firstTimes(world.log, document)).toEqual(sound.map(({ number }) => number));
    }
    await settled(() => dispatcher.size === 0);
  });

  test('puts a row aside that no event can be rendered from, and lets the later ones of its document go on', async () => {
    const world = new World(
      (value) => Promise.resolve(value),
      () => false,
    );
    world.rows.push(...[0, 1, 2].map((number) => ({ number, rowId: String(number), document: 'a' })));
    const options = world.options();
    const render = async (rowIds: readonly string[]) => options.render(rowIds.filter((rowId) => rowId !== '1'));
    new Dispatcher({ ...options, render }).sweep();
    await settled(() => world.rows.length === 0);
    expect(world.setAside).toEqual(['job of 1']);
    expect(world.removed).toEqual([0, 2]);
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
