// Clocks that a spec sets: those of the services that it starts, and Postgres' as these services see it.
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OwnService, OwnServiceOptions } from './own-services.js';
import { addressBook, eventually } from './platform.js';
import { rows } from './tables.js';

export interface WrongClocks {
  /** For the services that are to see them. */
  readonly options: Required<Pick<OwnServiceOptions, 'env' | 'nodeOptions'>>;
  /** Resolves when each of the services goes by the new time. */
  setServices(hours: number, services: readonly OwnService[]): Promise<void>;
  setDatabase(hours: number): Promise<void>;
  remove(): Promise<void>;
}

// Postgres' own clock cannot be set: its `now()` gives way to another one, for whoever connects by the address below.
const wrongNow = `
  DROP SCHEMA IF EXISTS wrong CASCADE;
  CREATE SCHEMA wrong;
  CREATE TABLE wrong.clock (hours double precision NOT NULL);
  INSERT INTO wrong.clock VALUES (0);
  CREATE FUNCTION wrong.now() RETURNS timestamptz LANGUAGE sql STABLE AS
    'SELECT pg_catalog.now() + hours * interval ''1 hour'' FROM wrong.clock';
  GRANT USAGE ON SCHEMA wrong TO PUBLIC;
  GRANT SELECT ON wrong.clock TO PUBLIC`;

const wrongAddress = (): string => {
  const url = new URL(addressBook().postgres);
  url.searchParams.set('options', '-c search_path=public,wrong,pg_catalog');
  return url.href.replaceAll('+', '%20');
};

export const createWrongClocks = async (): Promise<WrongClocks> => {
  const folder = mkdtempSync(join(tmpdir(), 'anabranch-clock-'));
  const file = join(folder, 'hours');
  writeFileSync(file, '0');
  await rows(wrongNow);
  const hoursOf = ({ pid }: OwnService): number => Number(readFileSync(`${file}.${pid}`, 'utf8'));
  return {
    options: {
      env: { CLOCK_FILE: file, ANABRANCH_POSTGRES_URL: wrongAddress() },
      nodeOptions: ['--import', './e2e/src/shift-clock.mjs'],
    },
    async setServices(hours, services) {
      // At once: who looks meanwhile must not find half of it.
      writeFileSync(`${file}.next`, String(hours));
      renameSync(`${file}.next`, file);
      await eventually('all services have the new time', () =>
        Promise.resolve(services.every((service) => hoursOf(service) === hours) ? true : undefined),
      );
    },
    setDatabase: async (hours) => void (await rows('UPDATE wrong.clock SET hours = $1', [hours])),
    async remove() {
      await rows('DROP SCHEMA wrong CASCADE');
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
