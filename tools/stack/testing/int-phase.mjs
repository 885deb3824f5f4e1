import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { infrastructure } from '../infra/infra.mjs';
import { ProcessBook } from '../run/launcher-record.mjs';
import { readSettings } from '../settings.mjs';
import { requirePrerequisites } from '../setup/prerequisites.mjs';
import { Stack } from '../stack.mjs';
import { statePaths } from '../state.mjs';
import { runJest } from './jest.mjs';
import { scratchEnvironment } from './scratch.mjs';
import { serveSpareBrokers } from './spare-brokers.mjs';

/**
 * Integration specs, against a real Kafka, registry and PostgreSQL that live as long as the specs run.
 * @param {import('./scratch.mjs').TestContext} context
 * @param {string[]} patterns
 */
export async function runIntegrationSpecs({ root, env, scratch }, patterns) {
  const stateDir = join(scratch, 'int');
  const settings = readSettings(await scratchEnvironment(env, stateDir), { root, throwAway: true });
  const paths = statePaths(stateDir);
  mkdirSync(stateDir, { recursive: true });
  const children = new ProcessBook(paths.processes);
  const stack = new Stack({
    logFolder: paths.logs,
    show: () => {},
    report({ type, process }) {
      if (type === 'starting' && process.pid) children.enter(process.name, process.pid);
    },
  });
  /** @type {(() => void)[]} */
  const closing = [];
  try {
    const java = requirePrerequisites(settings, settings.environment);
    const { processes, addresses } = infrastructure({ settings, paths, java });
    await Promise.all(processes.map((spec) => stack.add(spec).start()));
    const spare = await serveSpareBrokers({ stack, settings, java, folder: scratch });
    closing.push(spare.close);
    return await runJest(root, {
      kind: 'int',
      patterns,
      env: {
        ...settings.environment,
        ANABRANCH_TEST_KAFKA: addresses.kafka,
        ANABRANCH_TEST_REGISTRY: addresses.registry,
        ANABRANCH_TEST_POSTGRES: addresses.postgresAdmin,
        ANABRANCH_TEST_BROKERS: spare.url,
      },
    });
  } finally {
    for (const close of closing) close();
    await stack.stopAll();
  }
}
