import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { canaries } from '../workspace/canaries.mjs';
import { canaryFault, type Diagnostic } from '../workspace/lint.mjs';
import { placeCanaries } from '../workspace/place-canaries.mjs';

const canary = { name: 'n', project: 'libs/a', code: 'x', rule: 'nx(boundaries)', message: 'A project tagged' };

function diagnostic(code: string, message: string): Diagnostic {
  return { code, message, filename: 'f', labels: [] };
}

describe('a canary', () => {
  test('passes only when its own rule reports its own message', () => {
    expect(canaryFault(canary, [diagnostic('nx(boundaries)', 'A project tagged with "a"')])).toBeUndefined();
    expect(canaryFault(canary, [])).toContain('but reported nothing');
    expect(canaryFault(canary, [diagnostic('nx(boundaries)', 'Circular')])).toContain(
      'but reported nx(boundaries): Circular',
    );
    expect(canaryFault(canary, [diagnostic('eslint(no-var)', 'A project tagged')])).toContain(
      'should report nx(boundaries)',
    );
  });

  test('that shows what is allowed fails when anything is reported', () => {
    const control = { ...canary, rule: null };
    expect(canaryFault(control, [])).toBeUndefined();
    expect(canaryFault(control, [diagnostic('eslint(no-var)', 'var')])).toContain('is allowed, but lint reported');
  });

  test.each(['layer:foundation', 'layer:platform', 'layer:runtime', 'layer:test', 'kind:analysis', 'kind:pipeline'])(
    'stands for the row %s of the boundary table',
    (tag) => {
      expect(canaries.filter(({ message }) => message.startsWith(`A project tagged with "${tag}"`))).not.toEqual([]);
    },
  );
});

describe('placing canaries', () => {
  let root: string;

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'workspace-'));
    mkdirSync(join(root, 'libs/a'), { recursive: true });
    writeFileSync(join(root, 'libs/a/package.json'), '{ "name": "@anabranch/a" }');
  });

  afterEach(() => rmSync(root, { recursive: true }));

  test('puts each into its project, hidden from git, and takes all away again', () => {
    const { paths, remove } = placeCanaries([canary, { ...canary, spec: true, code: 'y' }], root);
    const folder = `libs/a/lint-canaries-${process.pid}`;
    expect(paths).toEqual([`${folder}/canary-0.ts`, `${folder}/test/canary-1.ts`]);
    expect(paths.map((path) => readFileSync(join(root, path), 'utf8'))).toEqual(['x', 'y']);
    expect(readFileSync(join(root, folder, '.gitignore'), 'utf8')).toBe('*\n');
    remove();
    expect(existsSync(join(root, folder))).toBe(false);
  });

  test('clears away what a killed run left, but not what a running one uses', () => {
    const leftover = join(root, 'libs/a/lint-canaries-999999999');
    const inUse = join(root, `libs/a/lint-canaries-${process.ppid}`);
    mkdirSync(leftover);
    mkdirSync(inUse);
    placeCanaries([], root).remove();
    expect([existsSync(leftover), existsSync(inUse)]).toEqual([false, true]);
  });
});
