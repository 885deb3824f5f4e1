// Kafka and a registry of the bench's own, on free ports, gone when it ends.
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
  const scratch = makeScratch();
  const stateDir = join(scratch, 'bench');
  mkdirSync(stateDir, { recursive: true });
  const settings = readSettings(await scratchEnvironment(process.env, stateDir), { throwAway: true });
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
    const context = { settings, paths, java };
    await Promise.all([kafkaProcess, registryProcess].map((part) => stack.add(part(context)).start()));
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    brokers: [kafkaAddress(settings)],
    registryUrl: registryUrl(settings),
    pids: () => stack.processes.flatMap(({ pid }) => pid ?? []),
    stop,
  };
}
