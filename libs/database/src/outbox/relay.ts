import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import type { Registry } from 'prom-client';
import { aborted } from '../aborted.js';
import type { Database } from '../database.js';
import type { Log } from '../log.js';
import { Dispatcher } from './dispatcher.js';
import { relayMetrics, type RelayMetrics } from './metrics.js';
import { acquireOwnership, giveUp } from './ownership.js';
import { countFailures, countRows, outboxRows, type OutboxRows } from './rows.js';
import { TenantTurns } from './tenant-turns.js';

/** What a relay publishes with. It belongs to the relay: one owner of a topic, one producer. */
export interface RelayProducer<E> {
  /** Resolves when the broker has acknowledged the event. */
  publish(event: E): Promise<void>;
  /** Ends all sends: nothing reaches the broker after it. */
  stop(): Promise<void>;
}

export interface RelayOptions<E> {
  topic: string;
  /** The event of each row id, rendered from immutable rows: see `readIngestedEvents` and `readEnrichedEvents`. */
  render(rowIds: readonly string[]): Promise<ReadonlyMap<string, E>>;
  /** Called whenever this relay becomes the owner of the topic. */
  openProducer(): RelayProducer<E> | Promise<RelayProducer<E>>;
  log: Log;
  metrics: Registry;
  /** Most jobs of one tenant that are published and unsettled, for `document.ingested`; 0: as many as there are. */
  maxOutstanding?: number;
  /** How long a job counts among them that settled before its analyses said anything, in milliseconds from its publishing. */
  abandonedMs?: number;
  /** How often the outbox is looked through without being woken, in milliseconds. */
  sweepMs?: number;
  /** How long a send may take, in milliseconds. */
  sendTimeoutMs?: number;
  /** Most events in memory. */
  maxRows?: number;
}

/** Carries the outbox rows of one topic to the broker. */
export interface Relay {
  start(): void;
  /** Finishes what is in flight, and hands the topic over. */
  stop(): Promise<void>;
  /** Waiting for another instance that owns the topic counts as ready; so do events that are kept aside, with a reason. */
  health(): { ready: boolean; reason?: string };
}

type Settings<E> = Required<RelayOptions<E>> & { db: Database; counted: RelayMetrics };

interface Status {
  failure: string | null;
  /** How many events of the topic are kept aside, as far as this relay knows. */
  failedRows: number;
  /** Tenants whose rows wait for their own jobs. */
  heldTenants: number;
}

/**
 * How long an owner may say nothing to Postgres, in milliseconds. Each sweep is a statement on the connection that holds the
 * lock, unless sends are waited for: a process that runs says something ten times as often, or twice.
 */
function silenceOf({ sweepMs, sendTimeoutMs }: Pick<Settings<never>, 'sweepMs' | 'sendTimeoutMs'>): number {
  return Math.max(10 * sweepMs, 2 * sendTimeoutMs);
}

/** A stop waits this long for acknowledgements; what has none by then is published again by the next owner. */
const drainTimeoutMs = 2_000;
const stopProducerTimeoutMs = 6_000;

/**
 * One relay per topic owns it, under an advisory lock; others stand by (semantics §8). The lock, LISTEN and all statements
 * on the outbox share one direct connection: when it breaks, the relay stops its producer and starts over.
 */
export function createRelay<E>(db: Database, options: RelayOptions<E>): Relay {
  const counted = relayMetrics(options.metrics, options.topic);
  const settings = {
    sweepMs: 1_000,
    sendTimeoutMs: 5_000,
    maxRows: 500,
    maxOutstanding: 0,
    abandonedMs: 30_000,
    ...options,
    db,
    counted,
  };
  const status: Status = { failure: 'has not started', failedRows: 0, heldTenants: 0 };
  const stopping = new AbortController();
  let running = Promise.resolve();
  return {
    start: () => {
      running = runUntilStopped(settings, status, stopping.signal);
    },
    stop: async () => {
      stopping.abort();
      await running;
    },
    health: () => healthOf(options.topic, status),
  };
}

function healthOf(topic: string, { failure, failedRows }: Status): { ready: boolean; reason?: string } {
  if (failure !== null) return { ready: false, reason: `outbox of ${topic}: ${failure}` };
  if (failedRows === 0) return { ready: true };
  return { ready: true, reason: `outbox of ${topic}: ${failedRows} events are kept aside in outbox_failure` };
}

async function runUntilStopped<E>(settings: Settings<E>, status: Status, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await ownTopic(settings, status, signal);
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'failed';
      // An outage is told once, not with each try.
      if (reason !== status.failure)
        settings.log.warn({ err: error, topic: settings.topic }, 'the outbox relay starts over');
      status.failure = reason;
      await pause(settings.sweepMs, signal);
    }
  }
}

/** Ends when asked to stop; throws when the connection, the outbox or the broker fails. */
async function ownTopic<E>(settings: Settings<E>, status: Status, signal: AbortSignal): Promise<void> {
  const client = await settings.db.connectDirectly(`outbox ${settings.topic}`);
  const lost = lossOf(client);
  try {
    const isOwner = acquireOwnership(client, settings.topic, {
      retryMs: settings.sweepMs,
      silentMs: silenceOf(settings),
      signal,
      onStandby: () => (status.failure = null),
    });
    if (!(await Promise.race([isOwner, lost]))) return;
    settings.log.info({ topic: settings.topic }, 'owns the outbox');
    await relayWhileOwner(settings, status, { client, lost, signal });
  } finally {
    await giveUp(client);
  }
}

interface Ownership {
  client: pg.Client;
  lost: Promise<never>;
  signal: AbortSignal;
}

async function relayWhileOwner<E>(
  settings: Settings<E>,
  status: Status,
  { client, lost, signal }: Ownership,
): Promise<void> {
  const producer = await settings.openProducer();
  const rows = rowsOf(settings, status, client);
  noteFailures(settings, status, await countFailures(settings.db, settings.topic));
  const dispatcher = dispatcherOf(settings, status, { rows, producer });
  const onNotification = ({ payload }: pg.Notification): void => {
    if (payload === settings.topic) dispatcher.wake();
  };
  client.on('notification', onNotification);
  const stopCarrying = settings.db.carry(settings.topic, () => dispatcher.wake());
  const sweeping = setInterval(() => {
    dispatcher.sweep();
    void reportRows(settings, status, dispatcher.size);
  }, settings.sweepMs);
  try {
    // The lock was taken and LISTEN is on: whatever was committed before is found by this first full read.
    dispatcher.sweep();
    status.failure = null;
    await Promise.race([lost, dispatcher.failure, aborted(signal)]);
    await Promise.race([lost, dispatcher.failure, dispatcher.drain(), pause(drainTimeoutMs)]);
  } finally {
    clearInterval(sweeping);
    stopCarrying();
    client.off('notification', onNotification);
    dispatcher.abandon();
    // Whoever owns the topic next must not be overtaken by a send of ours that is still on its way.
    await Promise.race([producer.stop(), pause(stopProducerTimeoutMs)]);
  }
}

/** Through the connection that holds the lock, in turns over tenants if they are bounded. */
function rowsOf<E>(settings: Settings<E>, status: Status, client: pg.Client): OutboxRows {
  const { topic, maxOutstanding, abandonedMs, counted } = settings;
  const rows = outboxRows(client, topic);
  if (maxOutstanding === 0) return rows;
  const onHeld = (tenants: number): void => {
    status.heldTenants = tenants;
    counted.heldTenants.set(tenants);
  };
  return new TenantTurns(rows, rows, { maxOutstanding, abandonedMs, onHeld });
}

/** An idle outbox is not counted: it costs no query. */
async function reportRows<E>(settings: Settings<E>, { heldTenants }: Status, inMemory: number): Promise<void> {
  const { db, topic, counted, maxRows } = settings;
  const isBacklog = heldTenants > 0 || inMemory >= maxRows / 2;
  const rows = isBacklog ? await countRows(db, topic).catch(() => inMemory) : inMemory;
  counted.rows.set(rows);
}

function noteFailures<E>({ counted }: Settings<E>, status: Status, failedRows: number): void {
  status.failedRows = failedRows;
  counted.failedRows.set(failedRows);
}

interface Ports<E> {
  rows: OutboxRows;
  producer: RelayProducer<E>;
}

function dispatcherOf<E>(settings: Settings<E>, status: Status, { rows, producer }: Ports<E>): Dispatcher<E> {
  const { topic, log, counted, render, maxRows, sendTimeoutMs } = settings;
  return new Dispatcher<E>({
    rows,
    render,
    maxRows,
    sendTimeoutMs,
    publish: (event) => producer.publish(event),
    onPublished: () => {
      status.failure = null;
      counted.published.inc();
    },
    onSetAside: (jobId, error) => {
      counted.setAside.inc();
      noteFailures(settings, status, status.failedRows + 1);
      log.error({ err: error, topic, jobId }, 'an event can never be published: its outbox row is kept aside');
    },
    onFailed: (error) => {
      status.failure = error instanceof Error ? error.message : 'a send failed';
      log.warn({ err: error, topic }, 'a send failed; the outbox row stays');
    },
  });
}

function lossOf(client: pg.Client): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  client.on('error', reject);
  client.on('end', () => reject(new Error('The connection that holds the outbox ended.')));
  promise.catch(() => undefined);
  return promise;
}

async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  await delay(ms, undefined, { ref: false, ...(signal ? { signal } : {}) }).catch(() => undefined);
}
