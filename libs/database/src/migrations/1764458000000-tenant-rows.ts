import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a tenant may see of itself, and nobody else's. */
const tables = ['document', 'document_revision', 'job', 'job_analysis', 'job_event', 'outcome', 'settlement', 'rules'];

// A role belongs to the whole cluster, whose other databases may be making it at this moment. Whoever owns the tables is
// not bound by their policies: pipeline services work for all tenants at once, and name the tenant in every statement.
const role = `
  DO $$ BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'anabranch_reader') THEN
      CREATE ROLE anabranch_reader NOLOGIN;
    END IF;
  EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;
  END $$;
  DO $$ BEGIN
    -- Whoever made the role may give it to others, and yet not take it on, until it is granted.
    IF NOT pg_has_role(current_user, 'anabranch_reader', 'SET') THEN
      EXECUTE format('GRANT anabranch_reader TO %I WITH SET TRUE', current_user);
    END IF;
  END $$;`;

const isOwn = "tenant_id = current_setting('anabranch.tenant', true)";

/** Row-level security for what the HTTP API reads: a query that forgets the tenant finds nothing of another one. */
export class TenantRows1764458000000 implements MigrationInterface {
  readonly name = 'TenantRows1764458000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(role);
    // Of keys only what stands beside the rules that they made.
    await runner.query('GRANT SELECT (id, tenant_id, name) ON api_key TO anabranch_reader');
    for (const table of [...tables, 'api_key']) {
      if (table !== 'api_key') await runner.query(`GRANT SELECT ON ${table} TO anabranch_reader`);
      await runner.query(`ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY`);
      await runner.query(`CREATE POLICY own_tenant ON ${table} FOR SELECT TO anabranch_reader USING (${isOwn})`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of [...tables, 'api_key']) {
      await runner.query(`DROP POLICY own_tenant ON ${table}`);
      await runner.query(`ALTER TABLE ${table} DISABLE ROW LEVEL SECURITY`);
      await runner.query(`REVOKE SELECT ON ${table} FROM anabranch_reader`);
    }
  }
}
