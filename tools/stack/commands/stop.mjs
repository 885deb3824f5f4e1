import { askLauncher } from '../control.mjs';
import { StackFault } from '../fault.mjs';
import { endProcess } from '../run/processes.mjs';
import { endLeftovers, runningLauncher } from '../run/launcher-record.mjs';
import { readSettings } from '../settings.mjs';
import { statePaths } from '../state.mjs';

/** The launcher's own limits for its children come to less. */
const launcherTimeoutMs = 120_000;

/** @type {import('../cli.mjs').Command} */
export const command = {
  help: `npm run stop -- [NAME …]

Without a name: stops everything in order, as Ctrl-C in the terminal of npm start does. The data stay.
With names: takes these parts down (a service with all its instances, one instance, kafka, registry or postgres) and
keeps them down while the rest goes on. npm start -- --only NAME brings them back.`,
  async run({ names }) {
    const paths = statePaths(readSettings(process.env).stateDir);
    if (names.length > 0) return stopParts(names, paths);
    await stopEverything(paths, (line) => console.log(line));
    return 0;
  },
};

/**
 * @param {string[]} names
 * @param {import('../state.mjs').StatePaths} paths
 */
async function stopParts(names, paths) {
  const launcher = runningLauncher(paths);
  if (launcher?.port === undefined || launcher.token === undefined) throw new StackFault('Nothing is running.');
  const { port, token } = launcher;
  await askLauncher({ port, token }, { command: 'stop', names }, (line) => console.log(line));
  return 0;
}

/**
 * @param {import('../state.mjs').StatePaths} paths
 * @param {(line: string) => void} say
 */
export async function stopEverything(paths, say) {
  const launcher = runningLauncher(paths);
  if (launcher === null) {
    await endLeftovers(paths, say);
    say('Nothing is running.');
    return;
  }
  say(`stopping Anabranch (pid ${launcher.pid}) …`);
  await endProcess(launcher, { signal: 'SIGTERM', timeoutMs: launcherTimeoutMs });
  say('Stopped.');
}
