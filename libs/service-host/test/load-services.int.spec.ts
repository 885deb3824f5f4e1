import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { loadServices } from '../src/load-services.js';

let folder: string;
let url: URL;

function write(name: string, source: string): void {
  mkdirSync(join(folder, name, 'dist'), { recursive: true });
  writeFileSync(join(folder, name, 'dist/service.js'), source);
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'services-'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  url = pathToFileURL(`${folder}/`);
  write('summary', 'export const service = { name: "summary" };');
  write('sentiment', 'export default { name: "sentiment" };');
  write('empty', 'export const other = 1;');
});

afterAll(() => rmSync(folder, { recursive: true }));

describe('compact mode', () => {
  test('finds services by name in the order given', async () => {
    const services = await loadServices(['summary', 'sentiment'], url);
    expect(services.map(({ name }) => name)).toEqual(['summary', 'sentiment']);
  });

  test.each([
    [['toxicity'], 'there is no built service toxicity'],
    [['../summary'], 'there is no built service ../summary'],
    [['empty'], 'services/empty exports no service'],
    [[], 'name the services to run'],
  ])('refuses %j and says why', async (names, message) => {
    await expect(loadServices(names, url)).rejects.toThrow(message);
  });
});
