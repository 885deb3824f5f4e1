import type { MigrationInterface, QueryRunner } from 'typeorm';

const isOwn = "tenant_id = current_setting('anabranch.tenant', true)";

/** What a tenant may see of each: never what was asked of a model, or answered. */
const columns: Record<string, string> = {
  outbox: 'topic, number, row_id, tenant_id',
  outbox_failure: 'number, job_id, tenant_id, failure',
  command: 'id, job_id, tenant_id, analysis, run, cause, created_at',
  pin: 'job_id, tenant_id, analysis, run, pinned_at',
  operation: 'key, tenant_id, analysis, state',
};

// Its jobs are the tenant's own, or it has none: a job's policy decides.
const usesOfOwnJobs = 'EXISTS (SELECT FROM job j WHERE j.id = operation_use.job_id)';

/** Lets the HTTP API tell a tenant what its jobs wait for, under the same row-level security as the jobs themselves. */
export class TenantWaits1764478000000 implements MigrationInterface {
  readonly name = 'TenantWaits1764478000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const [table, shown] of Object.entries(columns)) {
      await runner.query(`GRANT SELECT (${shown}) ON ${table} TO anabranch_reader`);
      await runner.query(`ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY`);
      await runner.query(`CREATE POLICY own_tenant ON ${table} FOR SELECT TO anabranch_reader USING (${isOwn})`);
    }
    await runner.query('GRANT SELECT ON operation_use TO anabranch_reader');
    await runner.query('ALTER TABLE operation_use ENABLE ROW LEVEL SECURITY');
    await runner.query(
      `CREATE POLICY own_tenant ON operation_use FOR SELECT TO anabranch_reader USING (${usesOfOwnJobs})`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of [...Object.keys(columns), 'operation_use']) {
      await runner.query(`DROP POLICY own_tenant ON ${table}`);
      await runner.query(`ALTER TABLE ${table} DISABLE ROW LEVEL SECURITY`);
      const shown = columns[table];
      await runner.query(`REVOKE SELECT ${shown ? `(${shown}) ` : ''}ON ${table} FROM anabranch_reader`);
    }
  }
}
