// How child processes are started so that none outlives the launcher, not even after its `kill -9`. Each has a group of
// its own (`detached`), so that a terminal's Ctrl-C reaches only the launcher, which stops all in order.
import { spawn } from 'node:child_process';

/**
 * Becomes PROGRAM, so that pid, signals and exit code are PROGRAM's own. Descriptor 3 is a pipe that only the launcher
 * holds open; a detached watcher reads it. When it closes without the word "ended", the launcher is gone: PROGRAM is
 * stopped after DELAY seconds (what uses it stops first), and killed when it does not obey.
 */
const guard = `
signal=$1 delay=$2
shift 2
( (
  read -r word <&3
  [ "$word" = ended ] && exit
  sleep "$delay"
  kill -s "$signal" $$
  tries=0
  while kill -0 $$ && [ $tries -lt 30 ]; do sleep 1; tries=$((tries + 1)); done
  kill -s KILL $$
) >/dev/null 2>&1 & )
exec "$@" 3<&-
`;

/**
 * For programs that know nothing of the launcher. The script goes by argument, since PostgreSQL's user may be unable to
 * read files of the checkout.
 * @param {{ command: string, args: string[], stopSignal: NodeJS.Signals, delaySeconds: number,
 *   options?: import('node:child_process').SpawnOptions }} program
 */
export function spawnGuarded({ command, args, stopSignal, delaySeconds, options = {} }) {
  const signalName = stopSignal.replace(/^SIG/, '');
  const guarded = ['-c', guard, 'guard', signalName, String(delaySeconds), command, ...args];
  const child = spawn('/bin/sh', guarded, { ...options, detached: true, stdio: ['ignore', 'pipe', 'pipe', 'pipe'] });
  const leash = /** @type {import('node:net').Socket | undefined} */ (child.stdio?.[3]); // stdin would close by itself
  leash?.on('error', () => {});
  child.once('exit', () => leash?.end('ended\n'));
  return child;
}

/**
 * Removes files when the launcher is gone without having ended in order: nobody shall take them for current.
 * @param {string[]} files
 * @returns {() => void} call it at an end in order
 */
export function removeWhenOrphaned(files) {
  const script = 'read -r word <&3; [ "$word" = ended ] || rm -f -- "$@"';
  /** @type {import('node:child_process').SpawnOptions} */
  const options = { detached: true, stdio: ['ignore', 'ignore', 'ignore', 'pipe'] };
  const child = spawn('/bin/sh', ['-c', script, 'janitor', ...files], options);
  const leash = /** @type {import('node:net').Socket | undefined} */ (child.stdio?.[3]);
  leash?.on('error', () => {});
  return () => leash?.end('ended\n');
}

/**
 * For our own services: with ANABRANCH_PARENT_PIPE=1 they stop by themselves when standard input closes.
 * @param {{ command: string, args: string[], cwd: string, env: NodeJS.ProcessEnv }} program
 */
export function spawnWithParentPipe({ command, args, cwd, env }) {
  const options = { cwd, env: { ...env, ANABRANCH_PARENT_PIPE: '1' }, detached: true };
  const child = spawn(command, args, { ...options, stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdin?.on('error', () => {});
  return child;
}
