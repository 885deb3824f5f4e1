import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually, TcpProxy, type Relay } from '@anabranch/test-support';
import { randomUUID } from 'node:crypto';
import type { Database } from '../src/index.js';
import {
  createLedger,
  openLedgerStore,
  operationKeyOf,
  type LedgerStore,
  type Operation,
} from '../src/ledger/index.js';
import { connect, openTestDatabase, tenantId } from './fixtures.js';

let db: Database;
let proxied: Database;
let proxy: TcpProxy;
let close: () => Promise<void>;
let commitsToCut = 0;

/** Claims and answers are statements that commit by themselves: one of these stands in what each is sent. */
const ownCommits = ['COMMIT', '"key":"\\\\x'];
const commits = (bytes: Buffer): boolean => ownCommits.some((sign) => bytes.includes(sign));

/** Lets a commit through, and cuts the connection when its answer comes: it is done, and nobody was told. */
const cutAfterCommit: Relay = (client, target) => {
  let isDoomed = false;
  client.on('data', (bytes: Buffer) => {
    if (commitsToCut > 0 && commits(bytes)) {
      commitsToCut -= 1;
      isDoomed = true;
    }
    target.write(bytes);
  });
  target.on('data', (bytes: Buffer) => (isDoomed ? client.destroy() : client.write(bytes)));
};

beforeAll(async () => {
  let url: string;
  ({ db, url, close } = await openTestDatabase());
  proxy = await TcpProxy.start(new URL(url).host, cutAfterCommit);
  const through = new URL(url);
  through.host = proxy.address;
  proxied = await connect(through.href);
});
afterEach(() => expect(commitsToCut).toBe(0));
afterAll(async () => {
  await proxied.close();
  await proxy.close();
  await close();
});

const operation = (): Operation => {
  const run = {
    tenantId,
    documentId: `document-${randomUUID()}`,
    revision: 1,
    jobId: randomUUID(),
    analysis: 'summary',
    run: 1,
    isFresh: false,
  };
  const pin = { choice: { promptVersion: '1' }, purchase: 1 };
  return { run, key: operationKeyOf(run, { request: randomUUID() }, 1), pin };
};

/** Longer than the spec: what would wait for a lease would never end. */
const endlessLeaseMs = 3_600_000;

function ledgerOver(store: LedgerStore, leaseMs = endlessLeaseMs) {
  return createLedger({
    store,
    leaseMs,
    onUnknownOutcome: 'fail',
    now: () => performance.now(),
    log: { warn: () => undefined },
  });
}

function provider() {
  const calls: string[] = [];
  return {
    calls,
    purchase: (answer = 'the answer') => ({
      call: () => {
        calls.push(answer);
        return Promise.resolve(answer);
      },
      signal: new AbortController().signal,
      park: <T>(waiting: Promise<T>) => waiting,
    }),
  };
}

describe('a connection that breaks after the commit', () => {
  test('of a claim: the claim is made again, finds its own lease at once, and the call is made once', async () => {
    const ledger = ledgerOver(await openLedgerStore(proxied, 'in-doubt'));
    const { calls, purchase } = provider();
    const wanted = operation();
    commitsToCut = 1;
    await expect(ledger.perform(wanted, purchase())).rejects.toMatchObject({ dependency: 'postgres' });
    expect(calls).toEqual([]);
    expect(await db.query("SELECT state, token FROM operation WHERE encode(key, 'hex') = $1", [wanted.key])).toEqual([
      { state: 'leased', token: 1 },
    ]);
    const both = await Promise.all([ledger.perform(wanted, purchase()), ledger.perform(wanted, purchase())]);
    expect(both.map(({ answer }) => answer)).toEqual(['the answer', 'the answer']);
    expect(calls).toHaveLength(1);
  });

  test('of an answer: it is stored, everybody gets it, and nothing is called again', async () => {
    const ledger = ledgerOver(await openLedgerStore(proxied, 'in-doubt'));
    const { calls, purchase } = provider();
    const wanted = operation();
    const bought = ledger.perform(wanted, {
      ...purchase(),
      call: () => {
        calls.push('once');
        commitsToCut = 1;
        return Promise.resolve('once');
      },
    });
    expect(await bought).toMatchObject({ answer: 'once', boughtBy: { jobId: wanted.run.jobId } });
    expect(await ledger.perform(wanted, purchase('twice'))).toMatchObject({ answer: 'once' });
    expect(calls).toEqual(['once']);
  });

  test('of a pin: the first pin holds', async () => {
    const ledger = ledgerOver(await openLedgerStore(proxied, 'in-doubt'));
    const { calls, purchase } = provider();
    const wanted = operation();
    const otherwise = { ...operation(), run: wanted.run, pin: { choice: { promptVersion: '2' }, purchase: 1 } };
    commitsToCut = 1;
    await expect(ledger.perform(wanted, purchase())).rejects.toMatchObject({ dependency: 'postgres' });
    await expect(ledger.perform(otherwise, purchase())).rejects.toMatchObject({ pin: wanted.pin });
    expect(await ledger.perform(wanted, purchase())).toMatchObject({ answer: 'the answer' });
    expect(calls).toHaveLength(1);
  });
});

describe('a call that may have been made, where it must not be repeated', () => {
  test('is an unknown outcome for everybody who asks for it, now and later, in whatever process', async () => {
    const [dead, one, other] = await Promise.all(['dead', 'one', 'other'].map((name) => openLedgerStore(db, name)));
    const wanted = operation();
    await dead!.claim(wanted);
    const { calls, purchase } = provider();
    const ledgers = [ledgerOver(one!, 300), ledgerOver(other!, 300)];
    const asked = [...ledgers, ...ledgers].map((ledger) => ledger.perform(wanted, purchase()));
    for (const end of await Promise.allSettled(asked))
      expect(end).toMatchObject({ status: 'rejected', reason: { code: 'UNKNOWN_OUTCOME' } });
    await expect(ledgers[0]!.perform(wanted, purchase())).rejects.toMatchObject({ code: 'UNKNOWN_OUTCOME' });
    expect(calls).toEqual([]);
    // Whoever made it may still tell.
    const { key, run } = wanted;
    await dead!.store({ key, run, answer: 'it was made' });
    expect(await ledgers[1]!.perform(wanted, purchase())).toMatchObject({ answer: 'it was made' });
  });
});

describe('a process that cannot show life for a while', () => {
  test('never takes its own call over', async () => {
    const store = await openLedgerStore(db, 'blocked');
    let looks = 0;
    const mute: LedgerStore = {
      ...store,
      beat: () => Promise.resolve(),
      read: (key) => {
        looks += 1;
        return store.read(key);
      },
    };
    const ledger = ledgerOver(mute, 100);
    const { promise, resolve } = Promise.withResolvers<string>();
    let calls = 0;
    const purchase = {
      ...provider().purchase(),
      call: () => {
        calls += 1;
        return promise;
      },
    };
    const wanted = operation();
    const asked = [ledger.perform(wanted, purchase), ledger.perform(wanted, purchase)];
    await eventually(() => looks >= 4);
    resolve('slow');
    expect(await Promise.all(asked)).toMatchObject([{ answer: 'slow' }, { answer: 'slow' }]);
    expect(calls).toBe(1);
  });
});
