// What acceptance is bounded by: unsettled jobs of a tenant, and events that nobody has published yet.
import { setTimeout } from 'node:timers/promises';
import type { Database, Queryable } from '../database.js';
import { unsettled } from '../job-states.js';
import { Headroom } from './headroom.js';

/** Bounds on new jobs, the same for all documents of a process; 0: none. */
export interface AcceptanceLimits {
  /** Most jobs of one tenant that are not settled. */
  unsettledJobs: number;
  /** Most events of all tenants that wait in the outbox, such as while Kafka is down. */
  waitingEvents: number;
}

export type AcceptanceLimit = keyof AcceptanceLimits;

/** There is no room for a new job; nothing was accepted. */
export class AcceptanceLimitReached extends Error {
  override readonly name = 'AcceptanceLimitReached';

  constructor(
    readonly limit: AcceptanceLimit,
    readonly max: number,
    /** False while other transactions of this process end: there may be room when they have. */
    readonly isCertain: boolean,
  ) {
    super(`There are ${max} ${limit === 'unsettledJobs' ? 'unsettled jobs of the tenant' : 'events that wait'}.`);
  }
}

interface Limited {
  tenantId: string;
  limits: AcceptanceLimits;
}

const topic = 'document.ingested';

interface Shared extends Record<AcceptanceLimit, Headroom> {
  /** The end of each transaction that has taken room. */
  underWay: Set<Promise<void>>;
}

const sharedBy = new WeakMap<Database, Shared>();

function sharedOf(db: Database): Shared {
  const known = sharedBy.get(db);
  if (known !== undefined) return known;
  const shared = { unsettledJobs: new Headroom(5_000), waitingEvents: new Headroom(1_000), underWay: new Set<never>() };
  sharedBy.set(db, shared);
  return shared;
}

/** A transaction may be held open for long; who waits for it to know better is refused then. */
const longestWaitMs = 1_000;

/** Resolves when all transactions that have taken room by now have ended, or a second later. */
export async function othersHaveEnded(db: Database): Promise<void> {
  await Promise.race([Promise.all(sharedOf(db).underWay), setTimeout(longestWaitMs, undefined, { ref: false })]);
}

/** The room that one transaction takes for its jobs. */
export interface AcceptanceRoom {
  /**
   * Counts what waits of all tenants, where it has to be counted for these documents. Before the transaction, which sees
   * nothing of tenants but its own.
   */
  countWaiting(documents: readonly Limited[]): Promise<void>;
  /** Counts what its tenants have, where it has to be counted for these documents; the transaction is at its beginning. */
  begin(tx: Queryable, documents: readonly Limited[]): Promise<void>;
  /** Whether one more job may be opened: null, or why not. Takes the room if there is. */
  take(document: Limited): AcceptanceLimitReached | null;
  /** The transaction has ended, either way. */
  end(): void;
}

/**
 * All transactions of a process share what is left: it never goes beyond the limits, and several processes do only by what
 * they accept between two counts.
 */
export function acceptanceRoom(db: Database): AcceptanceRoom {
  const shared = sharedOf(db);
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const taken: { headroom: Headroom; key: string }[] = [];
  const finish = (): void => taken.splice(0).forEach(({ headroom, key }) => headroom.finish(key));
  /** Takes one of what the limit leaves; 0 is no limit. */
  const takeOf = (limit: AcceptanceLimit, max: number, key: string): AcceptanceLimitReached | null => {
    if (max === 0) return null;
    const headroom = shared[limit];
    if (!headroom.take(key)) return new AcceptanceLimitReached(limit, max, headroom.isExact(key));
    taken.push({ headroom, key });
    shared.underWay.add(ended);
    return null;
  };
  return {
    countWaiting: (documents) => countWaiting(db, shared.waitingEvents, documents),
    begin: async (tx, documents) => {
      // A transaction that is tried again has rolled back before.
      finish();
      await countUnsettled(tx, shared.unsettledJobs, documents);
    },
    // The tenant's own bound first: who is refused by it must take nothing of the room that all tenants share.
    take: ({ tenantId, limits: { unsettledJobs, waitingEvents } }) =>
      takeOf('unsettledJobs', unsettledJobs, tenantId) ?? takeOf('waitingEvents', waitingEvents, topic),
    end: () => {
      finish();
      shared.underWay.delete(ended);
      end();
    },
  };
}

async function countUnsettled(tx: Queryable, headroom: Headroom, documents: readonly Limited[]): Promise<void> {
  const limited = documents.filter(({ limits }) => limits.unsettledJobs > 0);
  const byTenant = Map.groupBy(limited, ({ tenantId }) => tenantId);
  const unsure = [...byTenant].filter(([tenantId, own]) => headroom.isUnsure(tenantId, own.length));
  if (unsure.length === 0) return;
  const starts = new Map(unsure.map(([tenantId]) => [tenantId, headroom.beginCount(tenantId)]));
  const max = limited[0]?.limits.unsettledJobs ?? 0;
  // Each count ends at the limit, so its cost is bounded, whatever a tenant has.
  const rows = await tx.query<{ tenant_id: string; count: number }>(
    `SELECT k.tenant_id, (SELECT count(*)::integer FROM (
              SELECT FROM job j
              WHERE j.tenant_id = k.tenant_id AND j.state IN ${unsettled}
              LIMIT $2) AS unsettled) AS count
     FROM unnest($1::text[]) AS k(tenant_id)`,
    [unsure.map(([tenantId]) => tenantId), max],
  );
  for (const { tenant_id, count } of rows) {
    const start = starts.get(tenant_id);
    if (start !== undefined) headroom.counted(tenant_id, max - count, start);
  }
}

async function countWaiting(db: Queryable, headroom: Headroom, documents: readonly Limited[]): Promise<void> {
  const limited = documents.filter(({ limits }) => limits.waitingEvents > 0);
  const max = limited[0]?.limits.waitingEvents;
  if (max === undefined || !headroom.isUnsure(topic, limited.length)) return;
  const start = headroom.beginCount(topic);
  headroom.counted(topic, max - (await waitingEvents(db, max)), start);
}

/** How many events wait, counted up to `max`. The span of their numbers is never less, and is known at once. */
async function waitingEvents(db: Queryable, max: number): Promise<number> {
  const [span] = await db.query<{ span: string }>(
    `SELECT coalesce(max(number) - min(number) + 1, 0) AS span FROM outbox WHERE topic = $1`,
    [topic],
  );
  if (Number(span?.span) * 2 < max) return Number(span?.span);
  const [row] = await db.query<{ count: number }>(
    'SELECT count(*)::integer AS count FROM (SELECT FROM outbox WHERE topic = $1 LIMIT $2) AS waiting',
    [topic, max],
  );
  return row?.count ?? 0;
}
