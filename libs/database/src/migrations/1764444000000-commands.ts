import type { MigrationInterface, QueryRunner } from 'typeorm';

// Immutable: what somebody asked an analysis to do. The outbox holds the ids under the topic 'analysis.requested'.
const table = `
  CREATE TABLE command (
    id uuid PRIMARY KEY,
    job_id uuid NOT NULL,
    tenant_id text NOT NULL,
    analysis text NOT NULL,
    run integer NOT NULL,
    cause text NOT NULL,
    fresh boolean NOT NULL,
    causation_id text NOT NULL,
    created_at timestamptz(3) NOT NULL DEFAULT now()
  );
  CREATE INDEX command_by_job ON command (job_id);
`;

/** Commands to analyses: re-runs, and work whose wait is over. */
export class Commands1764444000000 implements MigrationInterface {
  readonly name = 'Commands1764444000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(table);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE command');
  }
}
