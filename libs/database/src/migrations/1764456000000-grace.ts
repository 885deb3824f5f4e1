import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The older job of a document that runs on beside the newest one, so that revisions which come fast do not starve it. */
export class Grace1764456000000 implements MigrationInterface {
  readonly name = 'Grace1764456000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE document ADD COLUMN kept_job_id uuid');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE document DROP COLUMN kept_job_id');
  }
}
