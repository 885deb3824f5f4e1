// The quick checks, in the order in which they are run: the cheap ones that fail most often first.
import { join } from 'node:path';
import { serviceNode } from '../services.mjs';
import { buildSources } from '../setup/build.mjs';
import { workspaceEnvironment } from '../setup/install.mjs';
import { runJest } from './jest.mjs';
import { runTool } from './run-tool.mjs';
import { nothing, tallyOfCanaries } from './tally.mjs';

const toolTimeoutMs = 10 * 60_000;

/**
 * @typedef {{ root: string, env: NodeJS.ProcessEnv, patterns: string[] }} StepContext
 * @typedef {{ name: string, run: (context: StepContext) => Promise<import('./tally.mjs').Tally> }} Step
 */

/** @type {Step[]} */
export const verifySteps = [
  { name: 'format', run: toolStep('node_modules/prettier/bin/prettier.cjs', '--check', '--log-level=warn', '.') },
  { name: 'lint', run: lint },
  { name: 'types', run: toolStep('node_modules/typescript/bin/tsc', '-p', 'tsconfig.json') },
  { name: 'schemas', run: toolStep('tools/contracts/cli.mjs', 'check') },
  { name: 'build', run: build },
  { name: 'wiring', run: toolStep('tools/workspace/check.mjs') },
  { name: 'unit', run: ({ root, env, patterns }) => runJest(root, { kind: 'unit', patterns, env }) },
];

/**
 * A check that passes or fails as a whole counts no test.
 * @param {string} program
 * @param {string[]} args
 * @returns {Step['run']}
 */
function toolStep(program, ...args) {
  return async (context) => {
    const { code } = await runNode(context, program, args);
    return code === 0 ? nothing : { passed: 0, failed: 1 };
  };
}

/**
 * Its exit code alone would say nothing: the boundary rule can be skipped in silence. The canaries tell.
 * @type {Step['run']}
 */
async function lint(context) {
  const { code, output } = await runNode(context, 'tools/workspace/lint.mjs', []);
  const tally = tallyOfCanaries(output);
  return code !== 0 && tally.failed === 0 ? { ...tally, failed: 1 } : tally;
}

/** @type {Step['run']} */
async function build({ root, env }) {
  await buildSources(root, { say: () => {}, env: workspaceEnvironment(root, env) });
  return nothing;
}

/**
 * @param {StepContext} context
 * @param {string} program
 * @param {string[]} args
 */
function runNode({ root, env }, program, args) {
  const options = { cwd: root, env: workspaceEnvironment(root, env), timeoutMs: toolTimeoutMs };
  return runTool(serviceNode(root), [join(root, program), ...args], options);
}
