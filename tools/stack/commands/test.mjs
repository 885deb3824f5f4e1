import { cpSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { watchForStop } from '../run/stop-request.mjs';
import { readSettings } from '../settings.mjs';
import { statePaths } from '../state.mjs';
import { setUp } from '../setup/set-up.mjs';
import { runEndToEndSpecs } from '../testing/e2e-phase.mjs';
import { runIntegrationSpecs } from '../testing/int-phase.mjs';
import { runJest } from '../testing/jest.mjs';
import { runPhases } from '../testing/phases.mjs';
import { endTools } from '../testing/run-tool.mjs';
import { makeScratch, removeAbandonedScratch, removeScratch } from '../testing/scratch.mjs';
import { closingLine, nothing } from '../testing/tally.mjs';
import { verify } from './verify.mjs';

/** @type {import('../cli.mjs').Command} */
export const command = {
  help: `npm test -- [OPTION …] [PATTERN …]

Sets up what is missing, then: verify, the consumer's simulation (two minutes), integration specs (with a Kafka, registry and
PostgreSQL of their own), end-to-end specs (over a whole platform of their own). Needs nothing that runs, and disturbs nothing that does.
The last line says how many specs passed and failed.

  --unit, --sim, --int, --e2e   only specs of this kind
  PATTERN                       only spec files whose path contains it`,
  options: { unit: { type: 'boolean' }, sim: { type: 'boolean' }, int: { type: 'boolean' }, e2e: { type: 'boolean' } },
  async run({ values, names }) {
    const settings = readSettings(process.env);
    const chosen = ['unit', 'sim', 'int', 'e2e'].filter((kind) => values[kind]);
    const stop = watchForStop();
    void stop.requested.then(endTools);
    stop.onForce(() => process.exit(1));
    await removeAbandonedScratch();
    const scratch = makeScratch();
    try {
      const phases = choosePhases(settings, { scratch, chosen, patterns: names });
      const tally = await runPhases(phases, { isStopped: stop.isRequested });
      if (tally.failed > 0) keepLogs(scratch, statePaths(settings.stateDir).testLogs);
      console.log(`\n${closingLine(tally)}`);
      return tally.failed > 0 ? 1 : 0;
    } finally {
      await removeScratch(scratch);
      stop.close();
    }
  },
};

/**
 * @param {import('../settings.mjs').Settings} settings
 * @param {{ scratch: string, chosen: string[], patterns: string[] }} choice
 */
function choosePhases(settings, { scratch, chosen, patterns }) {
  const { root } = settings;
  const env = { ...settings.environment, ANABRANCH_CACHE_DIR: settings.cacheDir };
  const context = { root, env, scratch };
  const specs = [
    { name: 'unit specs', kind: 'unit', essential: false, run: () => runJest(root, { kind: 'unit', patterns, env }) },
    { name: 'simulation', kind: 'sim', essential: false, run: () => runJest(root, { kind: 'sim', patterns, env }) },
    { name: 'integration specs', kind: 'int', essential: false, run: () => runIntegrationSpecs(context, patterns) },
    { name: 'end-to-end specs', kind: 'e2e', essential: false, run: () => runEndToEndSpecs(context, patterns) },
  ];
  const setUpPhase = {
    name: 'set-up',
    essential: true,
    run: () => runSetUp(settings, chosen.length === 0 || chosen.includes('e2e')),
  };
  if (chosen.length > 0) return [setUpPhase, ...specs.filter(({ kind }) => chosen.includes(kind))];
  const verifyPhase = { name: 'verify', essential: true, run: () => verify({ root, env, patterns }) };
  return [setUpPhase, verifyPhase, ...specs.filter(({ kind }) => kind !== 'unit')]; // verify has the unit specs
}

/**
 * @param {import('../settings.mjs').Settings} settings
 * @param {boolean} build
 */
async function runSetUp(settings, build) {
  await setUp(settings, { say: console.log, build });
  return nothing;
}

/**
 * @param {string} scratch
 * @param {string} target
 */
function keepLogs(scratch, target) {
  rmSync(target, { recursive: true, force: true });
  for (const stack of ['int', 'e2e']) {
    const logs = join(scratch, stack, 'logs');
    if (existsSync(logs)) cpSync(logs, join(target, stack), { recursive: true });
  }
  console.log(`\nThe logs of what ran are in ${target}`);
}
