// Loaded before a service (`--import`): its wall clock is wrong by as many hours as the file says whose name is in
// CLOCK_FILE. Timers and the monotonic clock are as they were, as when somebody sets the time of a machine. What the
// process goes by now is written down beside that file.
import { readFileSync, writeFileSync } from 'node:fs';

const lookEveryMs = 50;
const file = String(process.env['CLOCK_FILE']);
const RealDate = Date;
const realNow = Date.now.bind(Date);
let hours = '';

function look() {
  const said = readFileSync(file, 'utf8');
  if (said === hours) return;
  hours = said;
  writeFileSync(`${file}.${process.pid}`, hours);
}

look();
setInterval(look, lookEveryMs).unref();

const now = () => realNow() + Number(hours) * 3_600_000;

globalThis.Date = class extends RealDate {
  /** @param {any[]} parts */
  constructor(...parts) {
    // @ts-expect-error Date has several signatures; all that are called with something stay as they are.
    super(...(parts.length === 0 ? [now()] : parts));
  }

  static now() {
    return now();
  }
};
