import type { MigrationInterface, QueryRunner } from 'typeorm';

// `release` counts how often the run was released, so that each release is a command of its own.
const timers = `
  CREATE INDEX job_by_deadline ON job (deadline_at) WHERE state IN ('accepted', 'analysing');

  CREATE TABLE deferred (
    job_id uuid NOT NULL,
    analysis text NOT NULL,
    run integer NOT NULL,
    tenant_id text NOT NULL,
    document_id text NOT NULL,
    -- Code of the failure that asked for the wait, and what it waits for.
    reason text NOT NULL,
    dependency text NOT NULL,
    release integer NOT NULL,
    due_at timestamptz(3) NOT NULL,
    deferred_at timestamptz(3) NOT NULL DEFAULT now(),
    PRIMARY KEY (job_id, analysis, run)
  );
  CREATE INDEX deferred_by_time ON deferred (due_at);
`;

/** What collection's timers go by: deadlines, and work that waits. */
export class Timers1764448000000 implements MigrationInterface {
  readonly name = 'Timers1764448000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(timers);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE deferred');
    await runner.query('DROP INDEX job_by_deadline');
  }
}
