import { StackFault } from '../fault.mjs';
import { readSettings } from '../settings.mjs';
import { installPackages } from '../setup/install.mjs';
import { runPhases } from '../testing/phases.mjs';
import { closingLine } from '../testing/tally.mjs';
import { verifySteps } from '../testing/verify-steps.mjs';

const names = verifySteps.map(({ name }) => name);

/** @type {import('../cli.mjs').Command} */
export const command = {
  help: `npm run verify -- [--only STEP]

The quick part of npm test, which needs neither Kafka nor a database: ${names.join(', ')}.
Stops at the first step that fails.

  --only STEP   one step alone`,
  options: { only: { type: 'string' } },
  async run({ values }) {
    const { root, environment, cacheDir } = readSettings(process.env);
    await installPackages(root, { say: console.log, env: environment, cacheDir });
    const tally = await verify({ root, env: environment, only: values.only });
    console.log(`\n${closingLine(tally)}`);
    return tally.failed > 0 ? 1 : 0;
  },
};

/**
 * @param {{ root: string, env: NodeJS.ProcessEnv, only?: string, patterns?: string[] }} options
 * @returns {Promise<import('../testing/tally.mjs').Tally>}
 */
export function verify({ root, env, only, patterns = [] }) {
  if (only !== undefined && !names.includes(only))
    throw new StackFault(`There is no step "${only}": ${names.join(', ')}`);
  const steps = verifySteps.filter(({ name }) => only === undefined || name === only);
  const phases = steps.map(({ name, run }) => ({ name, essential: true, run: () => run({ root, env, patterns }) }));
  return runPhases(phases);
}
