import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it, jest } from '@jest/globals';
import { NodeChild } from '@anabranch/test-support';
import { listAnalyses, servicesFolder } from './fixtures/analyses.js';

jest.setTimeout(60_000);

const recorder = fileURLToPath(new URL('./fixtures/record-modules.mjs', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'anabranch-'));
afterAll(() => rmSync(folder, { recursive: true }));

const analyses = listAnalyses();
const declaresRules = (name: string): boolean =>
  /^ {2}rules: '/m.test(readFileSync(join(servicesFolder, name, 'src', `${name}.analysis.ts`), 'utf8'));

// Nothing listens on port 9 (discard): the process waits, with everything loaded that it ever loads.
const environment = {
  ANABRANCH_KAFKA_BROKERS: '127.0.0.1:9',
  ANABRANCH_REGISTRY_URL: 'http://127.0.0.1:9',
  ANABRANCH_OBJECT_STORE_DIR: join(folder, 'objects'),
  ANABRANCH_POSTGRES_URL: 'postgres://nobody@127.0.0.1:9/none',
};

describe('the process of an analysis', () => {
  it('exists for every analysis', () => {
    expect(analyses.length).toBeGreaterThanOrEqual(5);
  });

  it.each(analyses)(
    '%s waits for Kafka, loads no HTTP framework, a database client only for its rules, and stops in order',
    async (name) => {
      const modulesFile = join(folder, `${name}.txt`);
      const child = NodeChild.start({
        args: ['--import', recorder, join(servicesFolder, name, 'dist', 'main.js')],
        env: { ...environment, LOADED_MODULES_FILE: modulesFile },
      });
      await child.message('waiting for a dependency');
      child.kill('SIGTERM');
      expect(await child.exit).toEqual({ code: 0, signal: null });
      const packages = [...readFileSync(modulesFile, 'utf8').matchAll(/\/node_modules\/((?:@[^/]+\/)?[^/]+)\//g)];
      const loaded = new Set(packages.map(([, name]) => name));
      expect(loaded).toContain('kafkajs');
      expect(loaded).toContain('@nestjs/microservices');
      expect(loaded.has('pg')).toBe(declaresRules(name));
      const unwanted = /^(?:fastify|@fastify\/.*|express|@nestjs\/(?:platform-.*|swagger|typeorm)|typeorm)$/;
      expect([...loaded].filter((name) => unwanted.test(name ?? ''))).toEqual([]);
    },
  );
});
