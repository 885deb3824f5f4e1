import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { RetryLater } from '@anabranch/failures';
import { eventually } from '@anabranch/test-support';
import { randomUUID } from 'node:crypto';
import { createDatabase, databaseConfig, type Database } from '../src/index.js';
import { assemble, cancelJob } from '../src/jobs/index.js';
import {
  createLedger,
  listenForAnswers,
  openLedgerStore,
  operationKeyOf,
  type Ledger,
  type LedgerOptions,
  type LedgerRun,
  type LedgerStore,
  type Operation,
  type Pin,
  type Purchase,
} from '../src/ledger/index.js';
import { ingested, openedFact, openTestDatabase, tenantId } from './fixtures.js';

let db: Database;
let url: string;
let close: () => Promise<void>;
const closing: (() => Promise<void>)[] = [];

beforeAll(async () => {
  ({ db, url, close } = await openTestDatabase());
});
afterEach(async () => {
  for (const step of closing.splice(0)) await step();
});
afterAll(() => close());

const leaseMs = 600;
const log = { warn: () => undefined };
const memberName = (): string => `member-${randomUUID().slice(0, 8)}`;

/** One more process. */
async function startLedger(given: Partial<LedgerOptions> & { member?: string } = {}): Promise<Ledger> {
  const { member = memberName(), ...options } = given;
  const store = options.store ?? (await openLedgerStore(db, member));
  const ledger = createLedger({
    leaseMs,
    onUnknownOutcome: 'repeat',
    now: () => performance.now(),
    log,
    ...options,
    store,
  });
  const listener = listenForAnswers(db, (key) => ledger.onAnswered(key));
  closing.push(
    () => ledger.stop(),
    () => listener.stop(),
  );
  return ledger;
}

const runOf = (given: Partial<LedgerRun> = {}): LedgerRun => ({
  tenantId,
  documentId: `document-${randomUUID()}`,
  revision: 1,
  jobId: randomUUID(),
  analysis: 'summary',
  run: 1,
  isFresh: false,
  ...given,
});

const somePin: Pin = { choice: { promptVersion: '1' }, purchase: 1 };

const operationOf = (request: string, run = runOf(), pin = somePin): Operation => ({
  run,
  key: operationKeyOf(run, { request }, pin.purchase),
  pin,
});

/** Counts calls outside of the ledger, and ends them when the test says so. */
class Provider {
  readonly calls: { signal: AbortSignal; answer(text: string): void; fail(error: Error): void }[] = [];
  parked = 0;

  purchase(signal = new AbortController().signal): Purchase {
    return {
      call: (called) => {
        const { promise, resolve, reject } = Promise.withResolvers<string>();
        called.addEventListener('abort', () => reject(called.reason as Error));
        this.calls.push({ signal: called, answer: resolve, fail: reject });
        return promise;
      },
      signal,
      park: async (waiting) => {
        this.parked += 1;
        return waiting.finally(() => (this.parked -= 1));
      },
    };
  }

  async called(count = 1): Promise<void> {
    await eventually(() => this.calls.length >= count);
  }
}

describe('what is paid once', () => {
  test('a thousand documents in three processes that share one operation make one call, and hold no slots', async () => {
    const ledgers = await Promise.all([startLedger(), startLedger(), startLedger()]);
    const provider = new Provider();
    const request = randomUUID();
    const performed = Array.from({ length: 1_000 }, (_, at) =>
      ledgers[at % 3]!.perform(operationOf(request), provider.purchase()),
    );
    await provider.called();
    await eventually(() => provider.parked === 999);
    provider.calls[0]?.answer('the answer');
    const answers = await Promise.all(performed);
    expect(new Set(answers.map(({ answer }) => answer))).toEqual(new Set(['the answer']));
    expect(provider.calls).toHaveLength(1);
    expect(provider.parked).toBe(0);
  });

  test('an answer that is stored is given to whoever asks later, with who bought it', async () => {
    const [one, other] = await Promise.all([startLedger(), startLedger()]);
    const provider = new Provider();
    const request = randomUUID();
    const buyer = operationOf(request);
    const bought = one.perform(buyer, provider.purchase());
    await provider.called();
    provider.calls[0]?.answer('{"text":"\\u0000 and more"}');
    await bought;
    const found = await other.perform(operationOf(request), provider.purchase());
    expect(found).toMatchObject({
      answer: '{"text":"\\u0000 and more"}',
      boughtBy: { jobId: buyer.run.jobId, run: 1 },
    });
    expect(provider.calls).toHaveLength(1);
  });

  test('two tenants never share an answer, nor do two purchases, nor two jobs that buy anew', () => {
    const [one, other] = ['1', '2'].map((jobId) => ({ tenantId: 'a', jobId }));
    const request = { x: 1, y: 2 };
    const keys = [operationKeyOf(one!, request, 1), operationKeyOf({ ...one!, tenantId: 'b' }, request, 1)];
    keys.push(operationKeyOf(one!, request, 2), operationKeyOf(other!, request, 2), operationKeyOf(one!, request, 3));
    expect(new Set(keys).size).toBe(5);
    expect(operationKeyOf(other!, { y: 2, x: 1 }, 1)).toBe(keys[0]);
  });

  test('a call that fails fails for all who wait in its process, is made again when it is asked for again, and under one key', async () => {
    const ledger = await startLedger();
    const provider = new Provider();
    const operation = operationOf(randomUUID());
    const performed = [1, 2, 3].map(() => ledger.perform(operation, provider.purchase()));
    await provider.called();
    await eventually(() => provider.parked === 2);
    provider.calls[0]?.fail(new RetryLater('Busy.', { afterMs: 1 }));
    const results = await Promise.allSettled(performed);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    const again = ledger.perform(operation, provider.purchase());
    await provider.called(2);
    provider.calls[1]?.answer('at last');
    expect(await again).toMatchObject({ answer: 'at last' });
  });

  test('the answer of a call is kept although whoever made it was told to end', async () => {
    const ledger = await startLedger();
    const provider = new Provider();
    const operation = operationOf(randomUUID());
    const told = new AbortController();
    const performed = ledger.perform(operation, provider.purchase(told.signal));
    await provider.called();
    told.abort(new Error('the partition was lost'));
    await expect(performed).rejects.toThrow('the partition was lost');
    provider.calls[0]?.answer('paid for');
    expect(await ledger.perform(operation, provider.purchase())).toMatchObject({ answer: 'paid for' });
    expect(provider.calls).toHaveLength(1);
  });
});

describe('a holder that is gone', () => {
  test('is followed by one claimant after it has shown no life for the lease, on his own clock', async () => {
    const dead = await openLedgerStore(db, memberName());
    const operation = operationOf(randomUUID());
    expect(await dead.claim(operation)).toMatchObject({ kind: 'granted', token: 1, isTakenOver: false });
    const ledgers = await Promise.all([startLedger(), startLedger()]);
    const provider = new Provider();
    const performed = ledgers.map((ledger) => ledger.perform(operation, provider.purchase()));
    await provider.called();
    provider.calls[0]?.answer('of the successor');
    for (const each of performed) expect(await each).toMatchObject({ answer: 'of the successor' });
    expect(provider.calls).toHaveLength(1);
    // The dead one wakes: the first answer stays.
    const { key, run } = operation;
    expect(await dead.store({ key, run, answer: 'too late' })).toMatchObject({ answer: 'of the successor' });
  });

  test('whose late answer is the first is heard: that answer is everybody’s', async () => {
    const frozen = await openLedgerStore(db, memberName());
    const operation = operationOf(randomUUID());
    await frozen.claim(operation);
    const ledger = await startLedger();
    const provider = new Provider();
    const performed = ledger.perform(operation, provider.purchase());
    await provider.called();
    const { key, run } = operation;
    await frozen.store({ key, run, answer: 'late, but first' });
    provider.calls[0]?.answer('second');
    expect(await performed).toMatchObject({ answer: 'late, but first' });
  });

  test('is not followed while it shows life, however long its call takes', async () => {
    const [holder, waiter] = await Promise.all([startLedger(), startLedger()]);
    const provider = new Provider();
    const operation = operationOf(randomUUID());
    const bought = holder.perform(operation, provider.purchase());
    await provider.called();
    const waiting = waiter.perform(operation, provider.purchase());
    const beats = async () => {
      const rows = await db.query<{ beat: number }>("SELECT beat FROM operation WHERE encode(key, 'hex') = $1", [
        operation.key,
      ]);
      return rows[0]?.beat ?? 0;
    };
    // Nine beats are three leases.
    await eventually(async () => (await beats()) >= 9);
    expect(provider.calls).toHaveLength(1);
    provider.calls[0]?.answer('slow');
    expect(await Promise.all([bought, waiting])).toMatchObject([{ answer: 'slow' }, { answer: 'slow' }]);
  });

  test('is followed at once by the next process of its member, and never the other way round', async () => {
    const member = memberName();
    const predecessor = await openLedgerStore(db, member);
    const successor = await openLedgerStore(db, member);
    const operation = operationOf(randomUUID());
    await predecessor.claim(operation);
    expect(await successor.claim(operation)).toMatchObject({ kind: 'granted', token: 2, isTakenOver: true });
    expect(await predecessor.claim(operation)).toMatchObject({ kind: 'in-flight', token: 2 });
  });

  test('leaves an unknown outcome, which may be a failure instead of one more call', async () => {
    const dead = await openLedgerStore(db, memberName());
    const operation = operationOf(randomUUID());
    await dead.claim(operation);
    const ledger = await startLedger({ onUnknownOutcome: 'fail' });
    const provider = new Provider();
    const failure = await ledger.perform(operation, provider.purchase()).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'UNKNOWN_OUTCOME' });
    expect(provider.calls).toHaveLength(0);
  });
});

describe('what is not bought any more', () => {
  test('a revision below one that was begun is refused, also for operations of a run that was begun before', async () => {
    const store = await openLedgerStore(db, memberName());
    const documentId = `document-${randomUUID()}`;
    const [older, newer] = [1, 2].map((revision) => runOf({ documentId, revision }));
    const claim = (run: LedgerRun) => store.claim(operationOf(randomUUID(), run));
    expect(await claim(older!)).toMatchObject({ kind: 'granted' });
    expect(await claim(newer!)).toMatchObject({ kind: 'granted' });
    expect(await claim(older!)).toMatchObject({ kind: 'not-wanted', refusal: { code: 'SUPERSEDED' } });
    const ledger = await startLedger();
    const provider = new Provider();
    await expect(ledger.perform(operationOf('x', older), provider.purchase())).rejects.toMatchObject({
      code: 'SUPERSEDED',
    });
    expect(provider.calls).toHaveLength(0);
  });

  test('of two revisions that begin at once the lower one is refused, in one process as in two', async () => {
    const stores = await Promise.all([openLedgerStore(db, memberName()), openLedgerStore(db, memberName())]);
    for (const [one, other] of [[stores[0]!, stores[0]!], stores]) {
      const documentId = `document-${randomUUID()}`;
      const claim = (store: LedgerStore, revision: number) =>
        store.claim(operationOf(randomUUID(), runOf({ documentId, revision })));
      const [lower, higher] = await Promise.all([claim(one!, 1), claim(other!, 2)]);
      expect(higher).toMatchObject({ kind: 'granted' });
      // Of two processes the lower one may have been there before.
      if (one === other) expect(lower).toMatchObject({ kind: 'not-wanted', refusal: { code: 'SUPERSEDED' } });
      expect(await claim(one!, 1)).toMatchObject({ kind: 'not-wanted', refusal: { code: 'SUPERSEDED' } });
    }
  });

  test('a revision whose job was cancelled before it began does not stand in the way of the one before it', async () => {
    const store = await openLedgerStore(db, memberName());
    const documentId = `document-${randomUUID()}`;
    const cancelled = ingested({ documentId });
    await assemble(db, [openedFact(cancelled)]);
    await cancelJob(db, { tenantId, jobId: cancelled.jobId, reason: 'No longer wanted.', causationId: 'r' });
    const newer = runOf({ documentId, revision: 2, jobId: cancelled.jobId });
    expect(await store.claim(operationOf(randomUUID(), newer))).toMatchObject({
      kind: 'not-wanted',
      refusal: { code: 'JOB_CLOSED' },
    });
    expect(await store.claim(operationOf(randomUUID(), runOf({ documentId })))).toMatchObject({ kind: 'granted' });
  });

  test('an analysis that the document was not accepted with is refused, one that it was is not', async () => {
    const store = await openLedgerStore(db, memberName());
    const document = ingested({ requestedAnalyses: ['summary'] });
    await assemble(db, [openedFact(document)]);
    const { documentId, jobId } = document;
    const claimFor = (analysis: string) =>
      store.claim(operationOf(randomUUID(), runOf({ documentId, jobId, analysis })));
    expect(await claimFor('sentiment')).toMatchObject({ kind: 'not-wanted', refusal: { code: 'NOT_REQUESTED' } });
    expect(await claimFor('summary')).toMatchObject({ kind: 'granted' });
  });

  test('a cancelled job ends its call only when no other job waits for the answer', async () => {
    const ledger = await startLedger();
    const provider = new Provider();
    const documents = ['cancelled-1', 'cancelled-2'].map((documentId) => ingested({ documentId }));
    await assemble(
      db,
      documents.map((document) => openedFact(document)),
    );
    const request = randomUUID();
    const performed = documents.map(({ documentId, jobId }) => {
      return ledger.perform(operationOf(request, runOf({ documentId, jobId })), provider.purchase());
    });
    const results = Promise.allSettled(performed);
    await provider.called();
    await eventually(() => provider.parked === 1);
    const cancel = (at: number) =>
      cancelJob(db, { tenantId, jobId: documents[at]!.jobId, reason: 'No longer wanted.', causationId: 'r' });
    await cancel(0);
    await eventually(async () => {
      const rows = await db.query("SELECT 1 FROM operation WHERE beat >= 2 AND encode(key, 'hex') = $1", [
        operationKeyOf(runOf(), { request }, 1),
      ]);
      return rows.length === 1;
    });
    expect(provider.calls[0]?.signal.aborted).toBe(false);
    await cancel(1);
    await eventually(() => provider.calls[0]?.signal.aborted === true);
    expect((await results).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(provider.calls).toHaveLength(1);
  });
});

describe('a pin', () => {
  test('holds: the first one decides how a run is done, in whatever process, and another run takes the newest', async () => {
    const [one, other] = await Promise.all([openLedgerStore(db, memberName()), openLedgerStore(db, memberName())]);
    const run = runOf();
    const newer = { choice: { promptVersion: '2' }, purchase: 1 };
    const byNewer = operationOf(randomUUID(), run, newer);
    expect(await one.claim(operationOf(randomUUID(), run))).toMatchObject({ kind: 'granted' });
    expect(await other.claim(byNewer)).toEqual({ kind: 'pinned-otherwise', pin: somePin });
    expect(await other.read(byNewer.key)).toBeUndefined();
    expect(await other.claim(operationOf(randomUUID(), run))).toMatchObject({ kind: 'granted' });
    const next = operationOf(randomUUID(), { ...run, run: 2 }, newer);
    expect(await other.claim(next)).toMatchObject({ kind: 'granted' });
  });

  test('decides for each claim of a batch by itself', async () => {
    const store = await openLedgerStore(db, memberName());
    const [pinned, overtaken] = [runOf(), runOf()];
    await store.claim(operationOf(randomUUID(), pinned));
    await store.claim(operationOf(randomUUID(), runOf({ documentId: overtaken.documentId, revision: 2 })));
    const shared = operationOf(randomUUID());
    const newer = { choice: { promptVersion: '2' }, purchase: 1 };
    const answers = await Promise.all([
      store.claim(operationOf(randomUUID(), runOf(), newer)),
      store.claim(operationOf(randomUUID(), pinned, newer)),
      store.claim(operationOf(randomUUID(), overtaken)),
      store.claim(shared),
      store.claim({ ...shared, run: runOf() }),
      store.claim(operationOf(randomUUID(), pinned)),
    ]);
    expect(answers.map(({ kind }) => kind)).toEqual([
      'granted',
      'pinned-otherwise',
      'not-wanted',
      'granted',
      'in-flight',
      'granted',
    ]);
  });

  test('of a run that buys anew raises the purchase, which the runs after it keep', async () => {
    const store = await openLedgerStore(db, memberName());
    const first = runOf();
    const claim = (run: number, purchase: number, isFresh = false) =>
      store.claim(operationOf(randomUUID(), { ...first, run, isFresh }, { ...somePin, purchase }));
    expect(await claim(1, 1)).toMatchObject({ kind: 'granted' });
    expect(await claim(2, 2, true)).toMatchObject({ kind: 'granted' });
    expect(await claim(3, 1)).toEqual({ kind: 'pinned-otherwise', pin: { ...somePin, purchase: 2 } });
    expect(await claim(3, 2)).toMatchObject({ kind: 'granted' });
  });
});

describe('what an operation costs', () => {
  test('does not grow with the table, although its statistics are those of an empty one', async () => {
    // One session: the plans that it makes now are the ones that it keeps, and its own reading is counted.
    const config = { ...databaseConfig.parse({ postgresUrl: url }), postgresPoolSize: 1 };
    const one = await createDatabase(config, { name: 'spec' });
    closing.push(() => one.close());
    const tables = ['operation', 'operation_use', 'pin', 'begun_revision'];
    for (const table of tables) {
      await one.query(`TRUNCATE ${table}`);
      await one.query(`ALTER TABLE ${table} SET (autovacuum_enabled = off)`);
    }
    await one.query('TRUNCATE job CASCADE');
    await one.query('ALTER TABLE job SET (autovacuum_enabled = off)');
    const store = await openLedgerStore(one, memberName());
    const buy = async (): Promise<void> => {
      const run = runOf();
      const operation = operationOf(randomUUID(), run);
      const { key } = operation;
      expect(await store.claim(operation)).toMatchObject({ kind: 'granted' });
      expect(await store.store({ key, run, answer: 'an answer' })).toMatchObject({ answer: 'an answer' });
    };
    const rowsRead = async (): Promise<number> => {
      await one.query('SELECT pg_stat_force_next_flush()');
      const [row] = await one.query<{ read: number }>(
        `SELECT sum(seq_tup_read + idx_tup_fetch)::integer AS read FROM pg_stat_user_tables WHERE relname = ANY($1)`,
        [[...tables, 'job']],
      );
      return row?.read ?? Infinity;
    };
    for (let operations = 0; operations < 200; operations++) await buy();
    // Jobs that are closed must not be read for one that is not, by a plan of the time when there were none.
    const closed = Array.from({ length: 200 }, () => openedFact(ingested({ documentId: randomUUID() })));
    await assemble(db, closed);
    await db.query("UPDATE job SET state = 'superseded'");
    for (let operations = 0; operations < 200; operations++) await buy();
    const before = await rowsRead();
    await buy();
    const read = (await rowsRead()) - before;
    expect(read).toBeGreaterThan(0);
    expect(read).toBeLessThan(20);
  });
});
