import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { createProcessLog } from '../stack/run/process-log.mjs';
import { backOffMs, Supervised } from '../stack/run/supervised.mjs';

const folder = mkdtempSync(join(tmpdir(), 'anabranch-supervision-'));
const quick = { firstMs: 1, maxMs: 5, steadyMs: 60_000 };
const forEver = 'setInterval(() => {}, 1e6); console.log("up")';
let running: Supervised | undefined;

interface Seen {
  type: string;
  lines?: string[];
  delayMs?: number;
}

afterEach(async () => {
  await running?.stop();
  running = undefined;
});
afterAll(() => rmSync(folder, { recursive: true }));

/** A process that is ready when it says "up"; `seen` awaits an event of that type, from the oldest not yet taken on. */
function supervise(script: string, options: Record<string, unknown> = {}) {
  const events: Seen[] = [];
  const waiting: (() => void)[] = [];
  const log = createProcessLog({ file: join(folder, 'process.log'), show: () => {} });
  const report = (event: Seen) => {
    events.push(event);
    for (const wake of waiting.splice(0)) wake();
  };
  const spec = {
    name: 'sample',
    spawn: () => spawn(process.execPath, ['-e', script], { detached: true, stdio: ['pipe', 'pipe', 'pipe'] }),
    ready: async (child: ChildProcess, signal: AbortSignal) => {
      if (child.stdout) await once(child.stdout, 'data', { signal });
      return { metricsUrl: 'http://127.0.0.1:1/metrics' };
    },
    backOff: quick,
    ...options,
  };
  running = new Supervised(spec, { log, report });
  const seen = async (type: string): Promise<Seen> => {
    for (;;) {
      const event = events.shift();
      if (event?.type === type) return event;
      if (event === undefined) await new Promise<void>((wake) => waiting.push(wake));
    }
  };
  return { supervised: running, seen };
}

describe('a supervised process', () => {
  it('that dies is started again, and is reported with its last lines', async () => {
    const { supervised, seen } = supervise(forEver);
    await supervised.start();
    const first = supervised.pid;
    process.kill(first ?? 0, 'SIGKILL');
    expect((await seen('restarting')).lines).toEqual(['up']);
    await seen('ready');
    expect(supervised.pid).not.toBe(first);
    expect(supervised.details).toEqual({ metricsUrl: 'http://127.0.0.1:1/metrics' });
  });

  it('waits twice as long before each further try, up to a limit', () => {
    const backOff = { firstMs: 100, maxMs: 1_000, steadyMs: 0 };
    expect([1, 2, 3, 4, 5, 60].map((failures) => backOffMs(failures, backOff))).toEqual([
      100, 200, 400, 800, 1000, 1000,
    ]);
  });

  it('that never gets ready is given up, and the fault holds its last lines', async () => {
    const { supervised } = supervise('console.error("no such table"); process.exit(3)', {
      ready: (_child: ChildProcess, signal: AbortSignal) => once(signal, 'abort'),
      maxStartFailures: 3,
    });
    await expect(supervised.start()).rejects.toThrow(/exited with code 3.*no such table/s);
    expect(supervised.state).toBe('failed');
  });

  it('that ends by its own fault before it is ready is not given up, and never waits long', async () => {
    const { supervised, seen } = supervise('process.exit(70)', {
      ready: (_child: ChildProcess, signal: AbortSignal) => once(signal, 'abort'),
      maxStartFailures: 1,
      backOff: { firstMs: 1e9, maxMs: 1e9, steadyMs: 1e9 },
      ownFaultOf: ({ code }: { code: number }) => (code === 70 ? 'exit code 70' : undefined),
    });
    void supervised.start().catch(() => undefined);
    expect((await seen('restarting')).delayMs).toBe(2_000);
    expect(supervised.state).toBe('waiting');
  });

  it('whose settings are wrong (exit code 78) is not tried again', async () => {
    const { supervised, seen } = supervise('process.exit(78)', {
      ready: (_child: ChildProcess, signal: AbortSignal) => once(signal, 'abort'),
    });
    await expect(supervised.start()).rejects.toThrow('exited with code 78');
    await seen('starting');
    expect((await seen('failed')).type).toBe('failed');
  });

  it('that cannot be started at all is given up with the reason', async () => {
    const spawnNothing = () => spawn('/no/such/program', { detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
    const { supervised } = supervise('', { spawn: spawnNothing, maxStartFailures: 1 });
    await expect(supervised.start()).rejects.toThrow('could not be started: spawn /no/such/program ENOENT');
  });

  it('stays down when it was stopped, and comes back when it is started', async () => {
    const { supervised, seen } = supervise(forEver);
    await supervised.start();
    await supervised.stop();
    expect([supervised.state, supervised.pid]).toEqual(['stopped', null]);
    await supervised.start();
    await seen('ready');
    expect(supervised.state).toBe('ready');
  });

  it('can be stopped while it waits for its next try', async () => {
    const { supervised, seen } = supervise(forEver, { backOff: { ...quick, firstMs: 1e9, maxMs: 1e9 } });
    await supervised.start();
    process.kill(supervised.pid ?? 0, 'SIGKILL');
    expect((await seen('restarting')).delayMs).toBe(1e9);
    await supervised.stop();
    expect(supervised.state).toBe('stopped');
  });

  it('is killed when it does not heed the request to stop', async () => {
    const { supervised } = supervise(`process.on('SIGTERM', () => {}); ${forEver}`, { stopTimeoutMs: 1 });
    await supervised.start();
    await supervised.stop();
    expect(supervised.pid).toBeNull();
  });
});
