import { askLauncher } from '../control.mjs';
import { StackFault } from '../fault.mjs';
import { launch } from '../launcher.mjs';
import { runningLauncher } from '../run/launcher-record.mjs';
import { createTerminal } from '../run/terminal.mjs';
import { readSettings } from '../settings.mjs';
import { statePaths } from '../state.mjs';

/** @type {import('../cli.mjs').Command} */
export const command = {
  help: `npm start -- [OPTION …]

Installs and builds what is missing, then starts Kafka, the schema registry, PostgreSQL and every service, and keeps them
running until Ctrl-C. Data, logs and what is running are in .anabranch; the whole of every log is in .anabranch/logs.

  --compact      all services in one process: less memory and CPU
  --only NAME …  in another terminal, while it runs: bring back a part that was stopped (a service, kafka, registry or
                 postgres), or add an instance of a service that is up
  --no-build     start what was built last
  --verbose      every log line on the console, not only warnings and errors

Ports: ANABRANCH_HTTP_PORT (8080), ANABRANCH_KAFKA_PORT (19092), ANABRANCH_KAFKA_CONTROLLER_PORT (19093),
ANABRANCH_REGISTRY_PORT (18081), ANABRANCH_REGISTRY_MANAGEMENT_PORT (18082), ANABRANCH_POSTGRES_PORT (15432).
Folders: ANABRANCH_STATE_DIR (.anabranch), ANABRANCH_CACHE_DIR (downloads), ANABRANCH_POSTGRES_DIR.`,
  options: {
    only: { type: 'boolean' },
    compact: { type: 'boolean' },
    'no-build': { type: 'boolean' },
    verbose: { type: 'boolean' },
  },
  async run({ values, names }) {
    const settings = readSettings(process.env);
    if (values.only) return startOnly(names, settings.stateDir);
    if (names.length > 0)
      throw new StackFault(`To start only ${names.join(', ')}: npm start -- --only ${names.join(' ')}`);
    const terminal = createTerminal({ verbose: values.verbose ?? false });
    await launch(settings, { terminal, compact: values.compact ?? false, build: !values['no-build'] });
    return 0;
  },
};

/**
 * @param {string[]} names
 * @param {string} stateDir
 */
async function startOnly(names, stateDir) {
  if (names.length === 0) throw new StackFault('Say which part: npm start -- --only NAME');
  const launcher = runningLauncher(statePaths(stateDir));
  if (launcher?.port === undefined || launcher.token === undefined) {
    throw new StackFault(
      'Nothing runs here that a part could join. npm start, in another terminal, starts everything.',
    );
  }
  const { port, token } = launcher;
  await askLauncher({ port, token }, { command: 'start', names }, (line) => console.log(line));
  return 0;
}
