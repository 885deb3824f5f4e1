// Kafka and a registry of the bench's own, or whatever else it compares with, on free ports, gone when it ends.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { kafkaAddress, kafkaProcess } from '../../tools/stack/infra/kafka.mjs';
import { registryProcess, registryUrl } from '../../tools/stack/infra/registry.mjs';
import { ProcessBook } from '../../tools/stack/run/launcher-record.mjs';
import { readSettings } from '../../tools/stack/settings.mjs';
import { Stack } from '../../tools/stack/stack.mjs';
import { statePaths } from '../../tools/stack/state.mjs';
import { makeScratch, removeScratch, scratchEnvironment } from '../../tools/stack/testing/scratch.mjs';

/**
 * @param {import('../../tools/stack/setup/java.mjs').Java} java
 * @returns {Promise<{ brokers: string[], registryUrl: string, pids: () => number[], stop: () => Promise<void> }>}
 */
export async function startStack(java) {
  let settings;
  const { processes, stop } = await startProcesses(
    (context) => {
      settings = context.settings;
      return [kafkaProcess, registryProcess].map((part) => part({ ...context, java }));
    },
    { throwAway: true },
  );
  return {
    brokers: [kafkaAddress(settings)],
    registryUrl: registryUrl(settings),
    pids: () => processes().map(({ pid }) => pid),
    stop,
  };
}

/**
 * Starts what `describe` names, with a state folder and ports of its own.
 * @param {(context: object) => import('../../tools/stack/run/supervised.mjs').ProcessSpec[]} describe
 * @param {{ throwAway: boolean }} options without fsync, where it is our own Postgres
 */
export async function startProcesses(describe, { throwAway }) {
  const scratch = makeScratch();
  const stateDir = join(scratch, 'bench');
  mkdirSync(stateDir, { recursive: true });
  const settings = readSettings(await scratchEnvironment(process.env, stateDir), { throwAway });
  const paths = statePaths(stateDir);
  const children = new ProcessBook(paths.processes);
  const stack = new Stack({
    logFolder: paths.logs,
    show: () => {},
    report: ({ type, process: child }) => {
      if (type === 'starting' && child.pid) children.enter(child.name, child.pid);
    },
  });
  const stop = async () => {
    await stack.stopAll();
    await removeScratch(scratch);
  };
  try {
    const specs = describe({ settings, paths });
    await Promise.all(specs.map((spec) => stack.add(spec).start()));
  } catch (error) {
    await stop();
    throw error;
  }
  const processes = () => stack.processes.flatMap(({ name, pid }) => (pid ? [{ name, pid }] : []));
  return { processes, stop };
}
