import type { MigrationInterface, QueryRunner } from 'typeorm';

// Written in the accepting transaction: a key is there if and only if its document was accepted.
const table = `
  CREATE TABLE idempotency_key (
    tenant_id text NOT NULL,
    key text NOT NULL,
    request_sha256 text NOT NULL,
    job_id uuid NOT NULL,
    -- Whether that request made the job, or found it.
    created boolean NOT NULL,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, key)
  );
  CREATE INDEX idempotency_key_by_time ON idempotency_key (created_at);
`;

/** What was answered to requests that carry an Idempotency-Key. */
export class IdempotencyKeys1764460000000 implements MigrationInterface {
  readonly name = 'IdempotencyKeys1764460000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(table);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE idempotency_key');
  }
}
