import { url as inspectorUrl } from 'node:inspector';
import { Worker } from 'node:worker_threads';

export interface WatchdogOptions {
  /** How long the event loop may be blocked, in milliseconds; 0 = for ever. */
  readonly blockedMs: number;
  /** The resident memory of the whole process; 0 = as much as it likes. */
  readonly memoryLimitBytes: number;
  /** For its last line in the log. */
  readonly service: string;
}

interface WatchedState {
  readonly tickMs: number;
  readonly maxMissed: number;
  readonly memoryLimitBytes: number;
  readonly service: string;
  /** Counts up while the event loop runs. */
  readonly beat: Int32Array;
}

const longestTickMs = 500;

/**
 * Ends the process, by SIGABRT as V8 does, when its event loop is blocked for too long or its memory is above its limit:
 * by its own fault, so that the next run looks for the record that caused it. A thread of its own does it, since the
 * blocked one cannot. None is started under a debugger, whose breakpoints block as well.
 */
export function startWatchdog({ blockedMs, memoryLimitBytes, service }: WatchdogOptions): void {
  if ((blockedMs === 0 && memoryLimitBytes === 0) || inspectorUrl() !== undefined) return;
  const tickMs = blockedMs === 0 ? longestTickMs : Math.min(longestTickMs, blockedMs / 10);
  const maxMissed = blockedMs === 0 ? Number.POSITIVE_INFINITY : Math.ceil(blockedMs / tickMs);
  const beat = new Int32Array(new SharedArrayBuffer(8));
  setInterval(() => Atomics.add(beat, 0, 1), tickMs).unref();
  const workerData: WatchedState = { tickMs, maxMissed, memoryLimitBytes, service, beat };
  // As text, so that the thread loads no file, and nothing of what the process was started with.
  const program = `(${watch.toString()})()`;
  const resourceLimits = { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 1 };
  new Worker(program, { eval: true, workerData, env: {}, execArgv: [], resourceLimits }).unref();
}

/**
 * Runs in the thread, and sees nothing of this module. It counts its own ticks rather than time: a process that was frozen
 * or starved finds only one tick missed when it goes on.
 */
function watch(): void {
  const { workerData } = process.getBuiltinModule('node:worker_threads');
  const { writeSync } = process.getBuiltinModule('node:fs');
  const { tickMs, maxMissed, memoryLimitBytes, service, beat } = workerData as WatchedState;

  function end(msg: string, fields: object): void {
    const line = { time: new Date().toISOString(), level: 'fatal', service, ...fields, msg };
    try {
      writeSync(1, `${JSON.stringify(line)}\n`);
    } finally {
      process.kill(process.pid, 'SIGABRT');
    }
  }

  let last = -1;
  let missed = 0;
  for (;;) {
    Atomics.wait(beat, 1, 0, tickMs);
    const now = Atomics.load(beat, 0);
    missed = now === last ? missed + 1 : 0;
    last = now;
    const blockedMs = missed * tickMs;
    if (missed >= maxMissed) end('the event loop is blocked: the process ends', { blockedMs });
    const memoryBytes = memoryLimitBytes > 0 ? process.memoryUsage.rss() : 0;
    if (memoryBytes > memoryLimitBytes)
      end('the memory is above its limit: the process ends', { memoryBytes, memoryLimitBytes });
  }
}
