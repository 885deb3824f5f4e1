import { askLauncher } from '../control.mjs';
import { runningLauncher } from '../run/launcher-record.mjs';
import { readSettings } from '../settings.mjs';
import { statePaths } from '../state.mjs';

/** @type {import('../cli.mjs').Command} */
export const command = {
  help: `npm run status

Lists every process with its state, pid and metrics address. Exits with 1 when one of them is not ready, and with 3 when
nothing runs.`,
  async run() {
    const launcher = runningLauncher(statePaths(readSettings(process.env).stateDir));
    if (launcher?.port === undefined || launcher.token === undefined) {
      console.log('Nothing is running. npm start starts everything.');
      return 3;
    }
    const { port, token } = launcher;
    const processes = await askLauncher({ port, token }, { command: 'status' }, () => {});
    for (const { name, state, pid, metricsUrl, reasons } of processes) {
      const columns = [name.padEnd(18), state.padEnd(9), String(pid ?? '-').padStart(8), metricsUrl ?? ''];
      console.log(columns.join(' ').trimEnd());
      for (const reason of reasons) console.log(`    ${reason}`);
    }
    return processes.every((/** @type {{ state: string }} */ { state }) => state === 'ready') ? 0 : 1;
  },
};
