// When to stop: Ctrl-C, a signal, the terminal's end, or the end of the npm that started us.
import { commandOf, parentOf } from './processes.mjs';

/** npm hands Ctrl-C on to its child, which the terminal has told already: what comes so soon after is the same one. */
const sameRequestMs = 1_000;
const parentCheckMs = 500;

/**
 * @returns {{ requested: Promise<string>, request: (why: string) => void, isRequested: () => boolean,
 *   onForce: (force: () => void) => void, close: () => void }} `requested` resolves with the reason
 */
export function watchForStop() {
  let requestedAt = 0;
  let force = () => {};
  let resolve = (/** @type {string} */ _why) => {};
  const requested = /** @type {Promise<string>} */ (new Promise((onResolve) => (resolve = onResolve)));
  const request = (/** @type {string} */ why) => {
    const now = Date.now();
    if (requestedAt === 0) {
      requestedAt = now;
      resolve(why);
    } else if (now - requestedAt > sameRequestMs) force();
  };
  const signals = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);
  const onSignal = (/** @type {string} */ signal) => request(signal);
  for (const signal of signals) process.on(signal, onSignal);
  const stopWatching = watchNpm(() => requestedAt === 0 && request('the end of npm'));
  return {
    requested,
    request,
    isRequested: () => requestedAt > 0,
    onForce: (given) => (force = given),
    close() {
      stopWatching();
      for (const signal of signals) process.off(signal, onSignal);
    },
  };
}

/**
 * A killed npm (`kill -9`) tells nobody. It is our parent, or the parent of the shell that npm put between.
 * @param {() => void} onEnd
 */
function watchNpm(onEnd) {
  if (!process.env.npm_lifecycle_event) return () => {};
  const chain = [process.pid, process.ppid];
  if (/^\S*sh\s/.test(commandOf(process.ppid))) chain.push(parentOf(process.ppid) ?? 0);
  const isWhole = () => chain.slice(1).every((parent, index) => parentOf(chain[index]) === parent);
  const timer = setInterval(() => {
    if (isWhole()) return;
    clearInterval(timer);
    onEnd();
  }, parentCheckMs);
  timer.unref();
  return () => clearInterval(timer);
}
