import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readJson } from '../files.mjs';
import { serviceNode } from '../services.mjs';
import { workspaceEnvironment } from '../setup/install.mjs';
import { runTool } from './run-tool.mjs';
import { tallyOfJest } from './tally.mjs';

/** The suffixes of the spec files of each kind. */
const suffixes = { unit: '(unit|contract)', sim: 'sim', int: 'int', e2e: 'e2e' };
const timeoutsMs = { unit: 10 * 60_000, sim: 10 * 60_000, int: 40 * 60_000, e2e: 20 * 60_000 };
/** For one test, unless it sets its own: it awaits events, so this only bounds how long a hanging one holds up the rest. */
const testTimeoutsMs = { unit: 20_000, sim: 180_000, int: 90_000, e2e: 120_000 };

/**
 * @param {string} root
 * @param {{ kind: 'unit' | 'sim' | 'int' | 'e2e', patterns?: string[], env: NodeJS.ProcessEnv }} options patterns: parts of paths;
 *   none = all
 * @returns {Promise<import('./tally.mjs').Tally>}
 */
export async function runJest(root, { kind, patterns = [], env }) {
  const folder = mkdtempSync(join(tmpdir(), 'anabranch-jest-'));
  const report = join(folder, 'report.json');
  const suffix = `\\.${suffixes[kind]}\\.spec\\.ts$`;
  const paths = patterns.length > 0 ? patterns.map((pattern) => `(?:${pattern}).*${suffix}`) : [suffix];
  const oneByOne = kind === 'e2e' ? ['--runInBand'] : ['--maxWorkers=2', '--workerIdleMemoryLimit=512MB'];
  try {
    const { code } = await runTool(
      serviceNode(root),
      [
        join(root, 'node_modules/jest/bin/jest.js'),
        '--json',
        `--outputFile=${report}`,
        `--testTimeout=${testTimeoutsMs[kind]}`,
        ...oneByOne,
        '--testPathPatterns',
        ...paths,
      ],
      {
        cwd: root,
        env: {
          ...workspaceEnvironment(root, env),
          NODE_OPTIONS: '--experimental-vm-modules --disable-warning=ExperimentalWarning',
        },
        timeoutMs: timeoutsMs[kind],
      },
    );
    const tally = tallyOfJest(readJson(report));
    return code !== 0 && tally.failed === 0 ? { ...tally, failed: 1 } : tally;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
