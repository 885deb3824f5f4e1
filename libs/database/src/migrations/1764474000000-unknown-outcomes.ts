import type { MigrationInterface, QueryRunner } from 'typeorm';

const states = (names: string): string => `
  ALTER TABLE operation DROP CONSTRAINT operation_state_check;
  ALTER TABLE operation ADD CONSTRAINT operation_state_check CHECK (state IN (${names}))`;

/** A call that may have been made, and must not be repeated, is a state of its operation (semantics §7). */
export class UnknownOutcomes1764474000000 implements MigrationInterface {
  readonly name = 'UnknownOutcomes1764474000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(states("'leased', 'free', 'answered', 'unknown'"));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query("UPDATE operation SET state = 'free' WHERE state = 'unknown'");
    await runner.query(states("'leased', 'free', 'answered'"));
  }
}
