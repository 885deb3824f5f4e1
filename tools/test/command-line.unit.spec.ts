import { describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const helper = join(import.meta.dirname, '..', 'command-line.mjs');

/** A tool that prints what it was told. */
const program = `
  import { readOptions } from ${JSON.stringify(helper)};
  const options = { minutes: { type: 'string', default: '5' }, report: { type: 'string' } };
  console.log(JSON.stringify(await readOptions({ usage: async () => 'tool [--minutes 5]', options, numbers: ['minutes'] })));
`;

function run(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--input-type=module', '--eval', program, '--', ...args],
    { encoding: 'utf8' },
  );
  return { status, stdout, stderr };
}

describe('the options of a tool that is run by hand', () => {
  it('are read, with what is left out', () => {
    const { status, stdout } = run('--report', 'page.md');
    expect(JSON.parse(stdout)).toEqual({ minutes: '5', report: 'page.md' });
    expect(status).toBe(0);
  });

  it('are said when they are asked for', () => {
    for (const flag of ['--help', '-h'])
      expect(run(flag)).toEqual({ status: 0, stdout: 'tool [--minutes 5]\n', stderr: '' });
  });

  it.each([
    [['--minute', '5'], "Unknown option '--minute'"],
    [['--minutes', 'five'], '--minutes is "five": give a number above 0.'],
    [['--minutes', '0'], '--minutes is "0": give a number above 0.'],
    [['five'], 'Unexpected argument'],
  ])('are said with the mistake: %j', (args, mistake) => {
    const { status, stdout, stderr } = run(...args);
    expect({ status, stdout }).toEqual({ status: 64, stdout: '' });
    expect(stderr).toContain(mistake);
    expect(stderr).toContain('tool [--minutes 5]');
  });
});
