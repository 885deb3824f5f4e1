import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A run that waits keeps the time by which its rules were chosen. Null in rows of the version before, which did not say. */
export class AskedAt1764500000000 implements MigrationInterface {
  readonly name = 'AskedAt1764500000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const table of ['deferred', 'command']) {
      await runner.query(`ALTER TABLE ${table} ADD COLUMN asked_at timestamptz(3)`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['deferred', 'command']) await runner.query(`ALTER TABLE ${table} DROP COLUMN asked_at`);
  }
}
