import { setTimeout } from 'node:timers/promises';

const lookEveryMs = 2;

const threadMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};

/**
 * The longest that this thread computed without a turn of the event loop, in milliseconds, while the work ran. Its own
 * processor time: what other processes of a shared machine take from it is no fault of the work's. The watcher sleeps
 * between its looks, so it takes nothing either.
 */
export async function longestBlockMs(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let before = threadMs();
  const look = (): void => {
    const now = threadMs();
    longest = Math.max(longest, now - before);
    before = now;
  };
  const timer = setInterval(look, lookEveryMs);
  try {
    await work();
    // The last block is seen at the look after it.
    await setTimeout(lookEveryMs);
  } finally {
    clearInterval(timer);
  }
  look();
  return longest;
}
