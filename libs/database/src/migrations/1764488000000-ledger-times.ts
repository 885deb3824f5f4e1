import type { MigrationInterface, QueryRunner } from 'typeorm';

// The sweep of what was kept long enough is the only one that asks for times, and rows come in their order, but for
// revisions that begin anew: a summary of pages finds them, and costs a new row next to nothing.
const tables: Record<string, string> = {
  operation: 'created_at',
  operation_use: 'used_at',
  pin: 'pinned_at',
  begun_revision: 'begun_at',
};

/** Finds old rows of the ledger by their times. */
export class LedgerTimes1764488000000 implements MigrationInterface {
  readonly name = 'LedgerTimes1764488000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX operation_by_time');
    for (const [table, time] of Object.entries(tables)) {
      await runner.query(`CREATE INDEX ${table}_by_time ON ${table} USING brin (${time}) WITH (autosummarize = on)`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of Object.keys(tables)) await runner.query(`DROP INDEX ${table}_by_time`);
    await runner.query('CREATE INDEX operation_by_time ON operation (created_at)');
  }
}
