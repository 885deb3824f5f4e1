import { reach } from '@anabranch/failures/fail-points';
import type { Queryable } from '../database.js';

/** Rows that one statement removes: short enough not to hold up claims. */
const maxRows = 5_000;

const sweeps = [
  `DELETE FROM operation WHERE key IN (
     SELECT key FROM operation WHERE created_at < now() - $1 * interval '1 day' LIMIT $2)`,
  `DELETE FROM operation_use WHERE (job_id, key) IN (
     SELECT job_id, key FROM operation_use WHERE used_at < now() - $1 * interval '1 day' LIMIT $2)`,
  `DELETE FROM pin WHERE (job_id, analysis, run) IN (
     SELECT job_id, analysis, run FROM pin WHERE pinned_at < now() - $1 * interval '1 day' LIMIT $2)`,
  `DELETE FROM begun_revision WHERE (tenant_id, document_id, analysis) IN (
     SELECT tenant_id, document_id, analysis FROM begun_revision
     WHERE begun_at < now() - $1 * interval '1 day' LIMIT $2)`,
];

/**
 * Removes what the ledger has kept for longer than the days: from then on, the same is bought again. Once per table; call
 * it again for more.
 * @throws DependencyUnavailable when Postgres does not answer
 */
export async function sweepLedger(db: Queryable, days: number): Promise<void> {
  for (const sweep of sweeps) {
    await db.query(sweep, [days, maxRows]);
    reach('retention.swept');
  }
}
