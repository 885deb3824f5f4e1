import { afterAll, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'anabranch-contracts-'));

afterAll(() => rmSync(folder, { recursive: true }));

/** A copy of the schemas, in a folder of its own. */
function copyOfRepository(name: string): string {
  const root = join(folder, name);
  cpSync(join(repository, 'schemas'), join(root, 'schemas'), { recursive: true });
  return root;
}

function run(...parameters: string[]): { status: number | null; stdout: string; stderr: string } {
  const cli = join(repository, 'tools/contracts/cli.mjs');
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, ...parameters], { encoding: 'utf8', env: {} });
  return { status, stdout, stderr };
}

describe('the command', () => {
  it('says how it is used, and fails, when it does not know what to do', () => {
    expect(run('rewrite')).toMatchObject({ status: 2, stderr: expect.stringContaining('generate|check|release') });
  });

  it('fails where there is nothing to check', () => {
    const root = join(folder, 'empty');
    mkdirSync(root);
    expect(run('check', root)).toMatchObject({ status: 1, stderr: expect.stringContaining('nothing was checked') });
    expect(run('check', join(folder, 'nowhere')).status).toBe(1);
  });

  it('generates, checks, and finds a generated file that was edited by hand', () => {
    const root = copyOfRepository('edited');
    expect(run('check', root).stderr).toContain('is not what schemas/ says');
    expect(run('generate', root)).toMatchObject({ status: 0, stdout: expect.stringContaining('events.generated.ts') });
    expect(run('generate', root).stdout).toContain('are current');
    expect(run('check', root)).toMatchObject({ status: 0, stdout: expect.stringMatching(/\d+ topics, \d+ schemas/) });
    writeFileSync(join(root, 'libs/contracts/src/generated/events.generated.ts'), 'edited');
    expect(run('check', root)).toMatchObject({ status: 1, stderr: expect.stringContaining('generate') });
  });

  it('finds a released schema that was changed; generating and releasing do not bless the change', () => {
    const root = copyOfRepository('changed');
    const file = join(root, 'schemas/document.enriched/v1.avsc');
    writeFileSync(file, readFileSync(file, 'utf8').replace('"doc": "', '"doc": "Changed: '));
    const changed = {
      status: 1,
      stderr: expect.stringContaining('document.enriched/v1.avsc is released and was changed'),
    };
    expect(run('check', root)).toMatchObject(changed);
    expect(run('generate', root).status).toBe(0);
    expect(run('release', root)).toMatchObject(changed);
    expect(run('check', root)).toMatchObject(changed);
  });

  it('does not generate from, or release, what is not sound', () => {
    const root = copyOfRepository('broken');
    writeFileSync(join(root, 'schemas/document.enriched/v1.avsc'), '{');
    for (const command of ['generate', 'release']) {
      expect(run(command, root)).toMatchObject({ status: 1, stderr: expect.stringContaining('is not JSON') });
    }
  });
});
