import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Finds runs that were deferred before the clock was set back, however many wait. */
export class DeferredByBegin1764480000000 implements MigrationInterface {
  readonly name = 'DeferredByBegin1764480000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX deferred_by_begin ON deferred (deferred_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX deferred_by_begin');
  }
}
