import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The relay of accepted documents takes turns over tenants: it looks for the oldest rows of each. */
export class OutboxTurns1764464000000 implements MigrationInterface {
  readonly name = 'OutboxTurns1764464000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE INDEX outbox_by_tenant ON outbox (tenant_id, number) WHERE topic = 'document.ingested'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX outbox_by_tenant');
  }
}
