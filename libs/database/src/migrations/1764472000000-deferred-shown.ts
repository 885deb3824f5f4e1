import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A tenant may see which of its runs wait, and why. */
export class DeferredShown1764472000000 implements MigrationInterface {
  readonly name = 'DeferredShown1764472000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('GRANT SELECT ON deferred TO anabranch_reader');
    await runner.query('ALTER TABLE deferred ENABLE ROW LEVEL SECURITY');
    await runner.query(
      `CREATE POLICY own_tenant ON deferred FOR SELECT TO anabranch_reader
       USING (tenant_id = current_setting('anabranch.tenant', true))`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP POLICY own_tenant ON deferred');
    await runner.query('ALTER TABLE deferred DISABLE ROW LEVEL SECURITY');
    await runner.query('REVOKE SELECT ON deferred FROM anabranch_reader');
  }
}
