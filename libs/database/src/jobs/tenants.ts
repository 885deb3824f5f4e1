import { PoisonMessage } from '@anabranch/failures';
import type { Database, Queryable } from '../database.js';

// Tenants are never removed, so one that was seen once need not be looked for again.
const seen = new WeakMap<Database, Set<string>>();

/** Which of the tenants exist. */
export async function knownTenants(db: Database, tx: Queryable, tenantIds: readonly string[]): Promise<Set<string>> {
  const known = seen.get(db) ?? new Set<string>();
  seen.set(db, known);
  const unsure = [...new Set(tenantIds)].filter((id) => !known.has(id));
  if (unsure.length > 0) {
    const rows = await tx.query<{ id: string }>('SELECT id FROM tenant WHERE id = ANY($1::text[])', [unsure]);
    rows.forEach(({ id }) => known.add(id));
  }
  return known;
}

export function unknownTenant(): PoisonMessage {
  return new PoisonMessage('UNKNOWN_TENANT', 'The tenant does not exist.');
}
