import { removeState } from '../reset-state.mjs';
import { readSettings } from '../settings.mjs';
import { statePaths } from '../state.mjs';
import { stopEverything } from './stop.mjs';

/** @type {import('../cli.mjs').Command} */
export const command = {
  help: `npm run reset

Stops everything and removes all data: documents, jobs, results, events, schemas, the development key and logs. Downloads
stay. Asks nothing.`,
  async run() {
    const { stateDir } = readSettings(process.env);
    await stopEverything(statePaths(stateDir), (line) => console.log(line));
    const removed = removeState(stateDir);
    console.log(
      removed.length > 0 ? `Removed:\n${removed.map((path) => `  ${path}`).join('\n')}` : 'There were no data.',
    );
    return 0;
  },
};
