// Turns over tenants (semantics §12): fifty thousand documents of one must not stand in front of another one's.
import type { Queryable } from '../database.js';
import { underWay } from '../job-states.js';
import { documentName, type OutboxRow, type OutboxRows } from './rows.js';

/** A tenant may have so many jobs published and unsettled; the rest of its rows wait. The rows are those of jobs. */
export interface TurnsOptions {
  maxOutstanding: number;
  /**
   * How long, in milliseconds, a published job counts that settles before its analyses have said anything: one that is withdrawn,
   * overtaken or late is still worked on, and nobody passes the bound by making many of them.
   */
  abandonedMs: number;
  /** Told after each look how many tenants have rows that wait for their own jobs to settle. */
  onHeld(tenants: number): void;
}

/** The jobs that are published and not known to be done, each with the time of its publishing on the monotonic clock. */
type Outstanding = Map<string, number>;

interface TurnRow extends OutboxRow {
  tenantId: string;
}

interface FoundRow extends Record<string, unknown> {
  number: string;
  row_id: string;
  tenant_id: string;
  document: string;
}

/** A tenant at its limit that goes on to send must not have its jobs looked at with each of its documents. */
const lookEveryMs = 200;
/** So many jobs of tenants below their limits are remembered before it is looked which have settled. */
const rememberedJobs = 20_000;

/**
 * The rows of `document.ingested`, a tenant's oldest first, and of several tenants in turns. What a tenant has outstanding is
 * remembered by job, and looked at again only when it is at its limit: so it costs nothing until a limit is met.
 */
export class TenantTurns implements OutboxRows {
  private readonly inMemory = new Map<number, TurnRow>();
  /** By tenant. */
  private outstanding: Map<string, Outstanding> | null = null;
  /** On the monotonic clock, in milliseconds. */
  private nextLookAt = 0;
  private lookAtAll = rememberedJobs;

  constructor(
    private readonly rows: OutboxRows,
    private readonly db: Queryable,
    private readonly options: TurnsOptions,
  ) {}

  async read(excluded: readonly number[], limit: number): Promise<OutboxRow[]> {
    const outstanding = (this.outstanding ??= await readOutstanding(this.db));
    // What is neither excluded nor removed was forgotten after a failed send, and will be read again.
    const known = new Set(excluded);
    for (const number of this.inMemory.keys()) if (!known.has(number)) this.inMemory.delete(number);
    await this.forgetDone(outstanding);
    const rooms = this.roomsOf(outstanding);
    const rows = await readTurns(this.db, { excluded, limit, rooms, maxRoom: this.options.maxOutstanding });
    for (const row of rows) this.inMemory.set(row.number, row);
    this.options.onHeld([...this.roomsOf(outstanding).values()].filter((room) => room === 0).length);
    return rows;
  }

  async remove(numbers: readonly number[]): Promise<void> {
    await this.rows.remove(numbers);
    for (const number of numbers) this.noteGone(number, true);
  }

  async setAside(number: number, failure: string): Promise<string> {
    const jobId = await this.rows.setAside(number, failure);
    this.noteGone(number, false);
    return jobId;
  }

  private noteGone(number: number, isPublished: boolean): void {
    const row = this.inMemory.get(number);
    this.inMemory.delete(number);
    if (row === undefined || !isPublished) return;
    const jobs = this.outstanding?.get(row.tenantId);
    if (jobs) jobs.set(row.rowId, performance.now());
    else this.outstanding?.set(row.tenantId, new Map([[row.rowId, performance.now()]]));
  }

  /** What is left to each tenant that has something outstanding. */
  private roomsOf(outstanding: ReadonlyMap<string, Outstanding>): Map<string, number> {
    const used = new Map([...outstanding].map(([tenantId, jobs]) => [tenantId, jobs.size]));
    for (const { tenantId } of this.inMemory.values()) used.set(tenantId, (used.get(tenantId) ?? 0) + 1);
    return new Map([...used].map(([tenantId, count]) => [tenantId, Math.max(this.options.maxOutstanding - count, 0)]));
  }

  /** Looks whether jobs are done: of tenants at their limit, and of all when many are remembered. */
  private async forgetDone(outstanding: Map<string, Outstanding>): Promise<void> {
    if (performance.now() < this.nextLookAt) return;
    const rooms = this.roomsOf(outstanding);
    const isFull = sizeOf(outstanding) > this.lookAtAll;
    const due = [...outstanding].filter(([tenantId]) => isFull || rooms.get(tenantId) === 0);
    if (due.length === 0) return;
    const rows = await this.db.query<{ id: string; is_under_way: boolean }>(
      `SELECT j.id, j.state IN ${underWay} AS is_under_way FROM job j
       WHERE j.id = ANY($1::uuid[])
         AND (j.state IN ${underWay}
              OR EXISTS (SELECT FROM job_analysis a
                         WHERE a.job_id = j.id AND coalesce(a.effective_status, 'late') = 'late'))`,
      [due.flatMap(([, jobs]) => [...jobs.keys()])],
    );
    const isUnderWay = new Map(rows.map(({ id, is_under_way }) => [id, is_under_way]));
    const forgottenBefore = performance.now() - this.options.abandonedMs;
    const isOutstanding = ([id, publishedAt]: [string, number]): boolean => {
      const found = isUnderWay.get(id);
      return found === true || (found === false && publishedAt > forgottenBefore);
    };
    for (const [tenantId, jobs] of due) {
      const left = new Map([...jobs].filter(isOutstanding));
      if (left.size === 0) outstanding.delete(tenantId);
      else outstanding.set(tenantId, left);
    }
    if (isFull) this.lookAtAll = Math.max(rememberedJobs, 2 * sizeOf(outstanding));
    this.nextLookAt = performance.now() + lookEveryMs;
  }
}

function sizeOf(outstanding: ReadonlyMap<string, Outstanding>): number {
  return [...outstanding.values()].reduce((sum, { size }) => sum + size, 0);
}

/** What former owners of the topic have published. */
async function readOutstanding(db: Queryable): Promise<Map<string, Outstanding>> {
  const rows = await db.query<{ tenant_id: string; id: string }>(
    `SELECT j.tenant_id, j.id FROM job j
     WHERE j.state IN ${underWay}
       AND NOT EXISTS (SELECT FROM outbox o WHERE o.topic = 'document.ingested' AND o.row_id = j.id)`,
  );
  const byTenant = Map.groupBy(rows, ({ tenant_id }) => tenant_id);
  return new Map(
    [...byTenant].map(([tenantId, own]) => [tenantId, new Map(own.map(({ id }) => [id, performance.now()]))]),
  );
}

interface TurnsQuery {
  excluded: readonly number[];
  limit: number;
  rooms: ReadonlyMap<string, number>;
  maxRoom: number;
}

/** Tenants are found by skipping from one to the next in the index, and a tenant's rows as far as its room goes. */
async function readTurns(db: Queryable, { excluded, limit, rooms, maxRoom }: TurnsQuery): Promise<TurnRow[]> {
  const found = await db.query<FoundRow>(
    `WITH RECURSIVE waiting AS (
       (SELECT tenant_id FROM outbox WHERE topic = 'document.ingested' ORDER BY tenant_id LIMIT 1)
       UNION ALL
       SELECT (SELECT o.tenant_id FROM outbox o
               WHERE o.topic = 'document.ingested' AND o.tenant_id > w.tenant_id ORDER BY o.tenant_id LIMIT 1)
       FROM waiting w WHERE w.tenant_id IS NOT NULL
     )
     SELECT r.number, r.row_id, w.tenant_id, ${documentName} AS document
     FROM waiting w
     LEFT JOIN unnest($3::text[], $4::integer[]) AS known(tenant_id, room) USING (tenant_id)
     CROSS JOIN LATERAL (
       SELECT o.number, o.row_id, o.document_id, row_number() OVER (ORDER BY o.number) AS turn FROM (
         SELECT number, row_id, document_id FROM outbox
         WHERE topic = 'document.ingested' AND tenant_id = w.tenant_id AND number <> ALL($1::bigint[])
         ORDER BY number LIMIT least(coalesce(known.room, $5), $2)) AS o) AS r
     WHERE w.tenant_id IS NOT NULL
     ORDER BY r.turn, r.number LIMIT $2`,
    [excluded, limit, [...rooms.keys()], [...rooms.values()], maxRoom],
  );
  return found.map(({ number, row_id, tenant_id, document }) => {
    return { number: Number(number), rowId: row_id, tenantId: tenant_id, document };
  });
}
