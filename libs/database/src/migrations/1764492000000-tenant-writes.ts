import type { MigrationInterface, QueryRunner } from 'typeorm';

// A role belongs to the whole cluster, whose other databases may be making it, or granting it, at this moment.
const role = `
  DO $$ BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'anabranch_writer') THEN
      CREATE ROLE anabranch_writer NOLOGIN;
    END IF;
  EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
  END $$;
  DO $$ BEGIN
    -- Whoever made the role may give it to others, and yet not take it on, until it is granted.
    IF NOT pg_has_role(current_user, 'anabranch_writer', 'SET') THEN
      EXECUTE format('GRANT anabranch_writer TO %I WITH SET TRUE', current_user);
    END IF;
  EXCEPTION WHEN unique_violation THEN NULL;
  END $$;`;

/** What is done with each table, and nothing else: what is immutable, or the pipeline's, is so for the HTTP API by grants. */
const grants: Record<string, string> = {
  document: 'SELECT, INSERT, UPDATE (latest_revision, kept_job_id)',
  document_revision: 'INSERT',
  job: 'SELECT, INSERT, UPDATE (state, reason, superseded_by, result_version, sequence, updated_at)',
  job_analysis: `SELECT, INSERT, UPDATE (wanted_run, effective_run, effective_status, effective_code, effective_outcome_id,
    effective_digest)`,
  job_event: 'INSERT',
  // Outcomes that came before their job take its text, or go.
  outcome: 'SELECT, UPDATE (text_sha256), DELETE',
  settlement: 'SELECT (job_id, tenant_id, state, settled_at), INSERT',
  outbox: 'INSERT',
  command: 'INSERT',
  idempotency_key: 'SELECT, INSERT',
  rules: 'SELECT, INSERT',
  api_key: 'SELECT (id, tenant_id, name)',
  tenant: 'SELECT (id)',
};

/** Under no policy until now. */
const unguarded = ['idempotency_key', 'tenant'];

// The array is read once for each statement. No operator that an index knows: a plan that is kept must begin with the keys
// of the batch, and never with all that a tenant has (ADR 23).
const isOwn = (tenant: string): string =>
  `array_position((SELECT nullif(current_setting('anabranch.tenants', true), '')::text[]), ${tenant}) IS NOT NULL`;

/**
 * Row-level security for what the HTTP API writes: a statement that names another tenant than its transaction fails, one
 * that forgets the tenant touches nothing of others.
 */
export class TenantWrites1764492000000 implements MigrationInterface {
  readonly name = 'TenantWrites1764492000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(role);
    await runner.query('GRANT SELECT (name) ON analysis TO anabranch_writer');
    for (const table of unguarded) await runner.query(`ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY`);
    for (const [table, granted] of Object.entries(grants)) {
      const own = isOwn(table === 'tenant' ? 'id' : 'tenant_id');
      await runner.query(`GRANT ${granted} ON ${table} TO anabranch_writer`);
      await runner.query(
        `CREATE POLICY own_tenants ON ${table} TO anabranch_writer USING (${own}) WITH CHECK (${own})`,
      );
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of Object.keys(grants)) {
      await runner.query(`DROP POLICY own_tenants ON ${table}`);
      await runner.query(`REVOKE ${grants[table]} ON ${table} FROM anabranch_writer`);
    }
    for (const table of unguarded) await runner.query(`ALTER TABLE ${table} DISABLE ROW LEVEL SECURITY`);
    await runner.query('REVOKE SELECT (name) ON analysis FROM anabranch_writer');
  }
}
