import { setTimeout as delay } from 'node:timers/promises';
import { DependencyUnavailable } from '@anabranch/failures';
import type { Batcher } from '../batcher.js';
import type { Queryable } from '../database.js';
import { documentKey, type DocumentKey } from './documents.js';

/** Another transaction has the document now. */
export class DocumentHeld extends Error {
  override readonly name = 'DocumentHeld';
}

/** Seeds the hashes under which documents are locked by who accepts them, also those that have no row yet. */
const acceptanceLocks = 7_262_421;

interface SeenRow extends DocumentRow {
  is_free: boolean;
  is_known: boolean;
}

interface DocumentRow extends Record<string, unknown> {
  tenant_id: string;
  document_id: string;
}

/**
 * Which of these documents another transaction has at this moment, without waiting for it; claims the others among those
 * who accept. Keeps no row locked: that is done in the order of all writers, by `lockDocuments`.
 */
export async function heldDocuments(tx: Queryable, keys: readonly DocumentKey[]): Promise<ReadonlySet<string>> {
  if (keys.length === 0) return new Set();
  const parameters = [keys.map(({ tenantId }) => tenantId), keys.map(({ documentId }) => documentId)];
  const names = keys.map(documentKey);
  const [seen, , lockable] = await Promise.all([
    tx.query<SeenRow>(
      `SELECT k.tenant_id, k.document_id, pg_try_advisory_xact_lock(hashtextextended(k.name, $4)) AS is_free,
              EXISTS (SELECT FROM document d WHERE d.tenant_id = k.tenant_id AND d.document_id = k.document_id) AS is_known
       FROM unnest($1::text[], $2::text[], $3::text[]) AS k(tenant_id, document_id, name)`,
      [...parameters, names, acceptanceLocks],
    ),
    tx.query('SAVEPOINT looked'),
    tx.query<DocumentRow>(
      `SELECT d.tenant_id, d.document_id
       FROM unnest($1::text[], $2::text[]) AS k(tenant_id, document_id) JOIN document d USING (tenant_id, document_id)
       FOR NO KEY UPDATE OF d SKIP LOCKED`,
      parameters,
    ),
    tx.query('ROLLBACK TO SAVEPOINT looked'),
  ]);
  const free = new Set(lockable.map(nameOf));
  const isHeld = (row: SeenRow): boolean => !row.is_free || (row.is_known && !free.has(nameOf(row)));
  return new Set(seen.filter(isHeld).map(nameOf));
}

const nameOf = (row: DocumentRow): string => documentKey({ tenantId: row.tenant_id, documentId: row.document_id });

const firstWaitMs = 25;
const longestWaitMs = 250;
/** As long as a statement would have waited for it. */
const giveUpAfterMs = 30_000;

export interface HeldApartOptions<T, R> {
  keyOf(item: T): string;
  /** Makes a batcher that rejects what is held with `DocumentHeld`, and asks `isBehind` what must not be tried now. */
  createLanes(isBehind: (item: T) => boolean): Batcher<T, R>;
}

interface Waiting<T, R> {
  item: T;
  resolve(result: R): void;
  reject(error: unknown): void;
}

/**
 * What somebody else holds is tried again until it is free, apart from all others: what is free does not wait for it. What
 * comes for it meanwhile waits behind it, and goes on together when it is free.
 * @throws DependencyUnavailable when it is held for longer than a statement may take
 */
export function heldApart<T, R>({ keyOf, createLanes }: HeldApartOptions<T, R>): Batcher<T, R> {
  const held = new Map<string, Waiting<T, R>[]>();
  const lanes = createLanes((item) => held.has(keyOf(item)));
  const probes = createLanes(() => false);

  const add = async (item: T): Promise<R> => {
    if (held.has(keyOf(item))) return wait(item);
    try {
      return await lanes.add(item);
    } catch (error) {
      if (error instanceof DocumentHeld) return wait(item);
      throw error;
    }
  };
  const wait = (item: T): Promise<R> =>
    new Promise((resolve, reject) => {
      const waiting = held.get(keyOf(item));
      if (waiting !== undefined) return waiting.push({ item, resolve, reject });
      const first = { item, resolve, reject };
      held.set(keyOf(item), [first]);
      return void probe(first);
    });
  /** Settles the first one that waits, and lets the others come after it. */
  const probe = async ({ item, resolve, reject }: Waiting<T, R>): Promise<void> => {
    const found = await untilFree(() => probes.add(item));
    const others = (held.get(keyOf(item)) ?? []).slice(1);
    held.delete(keyOf(item));
    if ('result' in found) resolve(found.result);
    else reject(found.error);
    const isHeldStill = 'error' in found && found.error instanceof DependencyUnavailable;
    for (const other of others) {
      if (isHeldStill) other.reject(found.error);
      else add(other.item).then(other.resolve, other.reject);
    }
  };
  return { add };
}

/** Tries until nobody holds it, or for too long. */
async function untilFree<R>(work: () => Promise<R>): Promise<{ result: R } | { error: unknown }> {
  const giveUpAt = performance.now() + giveUpAfterMs;
  for (let waitMs = firstWaitMs; ; waitMs = Math.min(2 * waitMs, longestWaitMs)) {
    await delay(waitMs);
    try {
      return { result: await work() };
    } catch (error) {
      if (!(error instanceof DocumentHeld)) return { error };
      if (performance.now() > giveUpAt)
        return {
          error: new DependencyUnavailable('postgres', 'Another transaction holds the document.', { cause: error }),
        };
    }
  }
}
