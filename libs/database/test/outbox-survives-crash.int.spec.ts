import { DependencyUnavailable } from '@anabranch/failures';
import { eventually } from '@anabranch/test-support';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { Registry } from 'prom-client';
import type { Database } from '../src/index.js';
import { acceptDocument, readIngestedEvents, type RenderedEvent } from '../src/jobs/index.js';
import { acquireOwnership } from '../src/outbox/ownership.js';
import { createRelay, type Relay, type RelayOptions } from '../src/outbox/index.js';
import type { DocumentIngested } from '@anabranch/contracts';
import { connect, newDocument, openTestDatabase } from './fixtures.js';

type Event = RenderedEvent<DocumentIngested>;

const topic = 'document.ingested';
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

let db: Database;
let url: string;
let close: () => Promise<void>;
let relays: Relay[];
/** What the broker has acknowledged, or written without anybody hearing of it. */
let published: DocumentIngested[];

beforeEach(async () => {
  ({ db, url, close } = await openTestDatabase());
  relays = [];
  published = [];
});
afterEach(async () => {
  await Promise.all(relays.map((relay) => relay.stop()));
  await close();
});

/** A relay with a broker in memory. Nothing sweeps within a test unless it says so. */
function relayOn(database: Database, options: Partial<RelayOptions<Event>> = {}): Relay {
  const relay = createRelay<Event>(database, {
    topic,
    render: (rowIds) => readIngestedEvents(database, rowIds),
    openProducer: () => ({ publish, stop: () => Promise.resolve() }),
    log: silent,
    metrics: new Registry(),
    sweepMs: 600_000,
    ...options,
  });
  relays.push(relay);
  relay.start();
  return relay;
}

function publish({ event }: Event): Promise<void> {
  published.push(event);
  return Promise.resolve();
}

const accept = (documentId: string, text = documentId) => acceptDocument(db, newDocument({ documentId, text }));

const waitingRows = async (): Promise<number> => {
  const [row] = await db.query<{ n: number }>('SELECT count(*)::int AS n FROM outbox WHERE topic = $1', [topic]);
  return row?.n ?? -1;
};

test('rows from before the start are published, later ones when their commit is told', async () => {
  await accept('before');
  relayOn(db);
  await eventually(() => published.length === 1);
  await accept('after');
  await eventually(async () => published.length === 2 && (await waitingRows()) === 0);
  expect(published.map(({ documentId }) => documentId)).toEqual(['before', 'after']);
});

test('an owner that is frozen loses the topic, and another one publishes', async () => {
  const frozen = await db.connectDirectly('frozen');
  const ended = new Promise<string | undefined>((resolve) => {
    frozen.on('error', (error: Error & { code?: string }) => resolve(error.code));
  });
  const { signal } = new AbortController();
  const silentMs = 500;
  expect(await acquireOwnership(frozen, topic, { retryMs: 50, silentMs, signal, onStandby: () => undefined })).toBe(
    true,
  );
  relayOn(db, { sweepMs: 100 });
  await accept('waiting');
  await eventually(async () => published.length === 1 && (await waitingRows()) === 0);
  // idle_session_timeout
  expect(await ended).toBe('57P05');
});

test('a row stays until the broker has acknowledged its event', async () => {
  const { promise: acknowledged, resolve: acknowledge } = Promise.withResolvers<void>();
  const hold = async (event: Event): Promise<void> => {
    await publish(event);
    await acknowledged;
  };
  relayOn(db, { openProducer: () => ({ publish: hold, stop: () => Promise.resolve() }) });
  await accept('held');
  await eventually(() => published.length === 1);
  expect(await waitingRows()).toBe(1);
  acknowledge();
  await eventually(async () => (await waitingRows()) === 0);
});

test('a relay that dies between acknowledgement and removal leaves a row whose event comes again with the same id', async () => {
  const process = await connect(url);
  const { promise: never } = Promise.withResolvers<void>();
  const dying = relayOn(process, {
    openProducer: () => ({
      publish: async (event) => {
        await publish(event);
        // The broker has the event; this process never hears of it.
        await never;
      },
      stop: () => Promise.resolve(),
    }),
    sendTimeoutMs: 600_000,
  });
  await accept('twice');
  await eventually(() => published.length === 1);
  await killConnections();
  relayOn(db, { sweepMs: 50 });
  await eventually(async () => published.length === 2 && (await waitingRows()) === 0);
  expect(published[1]).toEqual(published[0]);
  await dying.stop();
  await process.close();
});

test('a relay whose connection is ended stops its producer, takes the topic again and goes on', async () => {
  let stopped = 0;
  const stop = (): Promise<void> => {
    stopped++;
    return Promise.resolve();
  };
  const relay = relayOn(db, { sweepMs: 50, openProducer: () => ({ publish, stop }) });
  await accept('one');
  await eventually(() => published.length === 1);
  await killConnections();
  await eventually(() => stopped === 1);
  await accept('two');
  await eventually(async () => published.length === 2 && (await waitingRows()) === 0);
  expect(relay.health()).toEqual({ ready: true });
});

test('of two relays one owns the topic, and the other takes over when it stops', async () => {
  const second = await connect(url);
  const opened: string[] = [];
  const named = (name: string) => ({
    sweepMs: 50,
    openProducer: () => {
      opened.push(name);
      return { publish, stop: () => Promise.resolve() };
    },
  });
  const first = relayOn(db, named('first'));
  await eventually(() => opened.length === 1);
  const standby = relayOn(second, named('second'));
  await eventually(() => standby.health().ready);
  await accept('one');
  await eventually(() => published.length === 1);
  await first.stop();
  await accept('two');
  await eventually(async () => published.length === 2 && (await waitingRows()) === 0);
  expect(opened).toEqual(['first', 'second']);
  await standby.stop();
  await second.close();
});

test('a document’s events come in order although sends fail, others do not wait for it', async () => {
  let attempts = 0;
  const failing = (event: Event): Promise<void> => {
    if (event.event.documentId === 'shaky' && ++attempts % 2 === 1) {
      return Promise.reject(new DependencyUnavailable('kafka', 'not now'));
    }
    return publish(event);
  };
  relayOn(db, { sweepMs: 50, openProducer: () => ({ publish: failing, stop: () => Promise.resolve() }) });
  for (let revision = 1; revision <= 5; revision++) await accept('shaky', `Revision ${revision}.`);
  await accept('steady');
  await eventually(async () => (await waitingRows()) === 0);
  const revisions = published.filter(({ documentId }) => documentId === 'shaky').map(({ revision }) => revision);
  expect(revisions).toEqual([1, 2, 3, 4, 5]);
  expect(published.some(({ documentId }) => documentId === 'steady')).toBe(true);
});

test('a transaction that commits late, below numbers that were published, skips no row', async () => {
  relayOn(db, { sweepMs: 50 });
  const late = await db.connectDirectly('late');
  await late.query('BEGIN');
  const { job } = await accept('early');
  await late.query(
    `INSERT INTO outbox (topic, row_id, tenant_id, document_id) SELECT topic, row_id, 'acme', 'late' FROM
     (VALUES ('${topic}', '${job.id}'::uuid)) AS r(topic, row_id)`,
  );
  await accept('later');
  await eventually(() => published.length === 2);
  await late.query('COMMIT');
  await late.end();
  await eventually(async () => published.length === 3 && (await waitingRows()) === 0);
});

test('a backlog larger than memory is published whole', async () => {
  await Promise.all(Array.from({ length: 60 }, (_, at) => accept(`document ${at}`)));
  relayOn(db, { maxRows: 8 });
  await eventually(async () => (await waitingRows()) === 0);
  expect(new Set(published.map(({ jobId }) => jobId)).size).toBe(60);
  expect(published).toHaveLength(60);
});

test('a broker that does not answer makes the relay not ready, and its producer is closed', async () => {
  let isDown = true;
  let stopped = 0;
  const relay = relayOn(db, {
    sweepMs: 30,
    sendTimeoutMs: 60,
    openProducer: () => ({
      publish: (event) => (isDown ? new Promise(() => undefined) : publish(event)),
      stop: () => {
        stopped++;
        return Promise.resolve();
      },
    }),
  });
  await accept('waiting');
  await eventually(() => stopped > 0 && !relay.health().ready);
  expect(await waitingRows()).toBe(1);
  isDown = false;
  await eventually(async () => (await waitingRows()) === 0 && relay.health().ready);
});

/** Ends the connections that hold a relay's lock, as a crash or a network would. */
async function killConnections(): Promise<void> {
  const killed = await db.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND application_name LIKE '%outbox%'`,
  );
  expect(killed.length).toBeGreaterThan(0);
}
