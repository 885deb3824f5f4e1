import type { MigrationInterface, QueryRunner } from 'typeorm';

// A member's processes are numbered in the order of their starts, so that a frozen one never takes back from its successor.
// `answer` is text and not jsonb: nobody queries it, and a model may write what jsonb cannot hold.
const ledger = `
  CREATE SEQUENCE ledger_incarnation;

  -- How a run is done: the first pin holds.
  CREATE TABLE pin (
    job_id uuid NOT NULL,
    analysis text NOT NULL,
    run integer NOT NULL,
    tenant_id text NOT NULL,
    purchase integer NOT NULL,
    choice jsonb NOT NULL,
    pinned_at timestamptz(3) NOT NULL DEFAULT now(),
    PRIMARY KEY (job_id, analysis, run)
  );

  -- The highest revision that an analysis has begun with.
  CREATE TABLE begun_revision (
    tenant_id text NOT NULL,
    document_id text NOT NULL,
    analysis text NOT NULL,
    revision bigint NOT NULL,
    begun_at timestamptz(3) NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, document_id, analysis)
  ) WITH (fillfactor = 80);

  -- What is asked of a model, by the hash of tenant, request and purchase.
  CREATE TABLE operation (
    key bytea PRIMARY KEY,
    tenant_id text NOT NULL,
    state text NOT NULL CHECK (state IN ('leased', 'free', 'answered')),
    token integer NOT NULL,
    beat integer NOT NULL,
    member text NOT NULL,
    incarnation bigint NOT NULL,
    is_waited_for boolean NOT NULL DEFAULT false,
    job_id uuid NOT NULL,
    analysis text NOT NULL,
    run integer NOT NULL,
    answer text,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    answered_at timestamptz(3)
  ) WITH (fillfactor = 80);
  CREATE INDEX operation_by_time ON operation (created_at);

  -- Who uses an answer.
  CREATE TABLE operation_use (
    job_id uuid NOT NULL,
    key bytea NOT NULL,
    used_at timestamptz(3) NOT NULL DEFAULT now(),
    PRIMARY KEY (job_id, key)
  );
  CREATE INDEX operation_use_by_key ON operation_use (key);
`;

/** The gate before money is spent (semantics §7). */
export class Ledger1764452000000 implements MigrationInterface {
  readonly name = 'Ledger1764452000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(ledger);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE operation_use, operation, begun_revision, pin');
    await runner.query('DROP SEQUENCE ledger_incarnation');
  }
}
