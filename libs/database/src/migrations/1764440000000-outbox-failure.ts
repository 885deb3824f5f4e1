import type { MigrationInterface, QueryRunner } from 'typeorm';

// A table of its own: the outbox, which every sweep reads from its oldest row on, holds only what can be published.
const table = `
  CREATE TABLE outbox_failure (
    topic text NOT NULL,
    number bigint NOT NULL,
    row_id uuid NOT NULL,
    tenant_id text NOT NULL,
    document_id text NOT NULL,
    job_id uuid NOT NULL,
    failure text NOT NULL,
    failed_at timestamptz(3) NOT NULL DEFAULT now(),
    PRIMARY KEY (topic, number)
  );
`;

/** Where events that can never be published are kept, for an operator. */
export class OutboxFailure1764440000000 implements MigrationInterface {
  readonly name = 'OutboxFailure1764440000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(table);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE outbox_failure');
  }
}
