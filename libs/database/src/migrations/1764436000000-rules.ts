import type { MigrationInterface, QueryRunner } from 'typeorm';

// One table for three kinds: all are versioned, addressed and read alike, and only their owners look inside.
// `json` and not `jsonb`: nobody queries it, and what a tenant reads back is what it wrote.
const table = `
  CREATE TABLE rules (
    tenant_id text NOT NULL REFERENCES tenant,
    kind text NOT NULL,
    id text NOT NULL,
    version integer NOT NULL,
    -- Null with its digest: from here on there are no rules of this id.
    definition json,
    digest text,
    created_by uuid NOT NULL,
    created_at timestamptz(3) NOT NULL,
    effective_from timestamptz(3) NOT NULL,
    PRIMARY KEY (tenant_id, kind, id, version)
  );
`;

// A key that may do all that there was may go on to do so.
const scopes = `
  UPDATE api_key SET scopes = scopes || ARRAY['rules:read', 'rules:write']
  WHERE scopes @> ARRAY['documents:read', 'documents:write'] AND NOT scopes && ARRAY['rules:read', 'rules:write']
`;

/** Tenants' own taxonomies, rulesets and gazetteers, and the scopes to read and change them. */
export class Rules1764436000000 implements MigrationInterface {
  readonly name = 'Rules1764436000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(table);
    await runner.query(scopes);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE rules');
    await runner.query("UPDATE api_key SET scopes = array_remove(array_remove(scopes, 'rules:read'), 'rules:write')");
  }
}
