import { afterEach, describe, expect, jest, test } from '@jest/globals';
import type { LogLine, NodeChild } from '@anabranch/test-support';
import { startLaunched } from './fixtures/start-hosted.js';

// Each starts processes of its own, on a machine that may be busy.
jest.setTimeout(60_000);

const children: NodeChild[] = [];

function start(...given: Parameters<typeof startLaunched>): NodeChild {
  const child = startLaunched(...given);
  children.push(child);
  return child;
}

/** The line of the run that follows on an end by its own fault. */
function secondLaunch(child: NodeChild): Promise<LogLine> {
  return child.line(({ msg, launch }) => msg === 'launched' && (launch as LaunchLine).ownExit !== undefined);
}

interface LaunchLine {
  run: string;
  ownExits: number;
  ownExit?: { run: string; reason: string; ranMs: number };
}

const launchOf = (line: LogLine): LaunchLine => line['launch'] as LaunchLine;

afterEach(async () => {
  for (const child of children.splice(0)) {
    child.kill('SIGKILL');
    await child.exit;
  }
});

describe('a process that ends by its own fault is started again, and told so', () => {
  test.each([
    ['an error that nobody caught', 'throw', 'exit code 70'],
    ['a rejection that nobody awaited', 'reject', 'exit code 70'],
    ['process.abort', 'abort', 'SIGABRT'],
    ['process.exit from within', 'exit', 'exit code 70'],
  ])('%s', async (_, fault, reason) => {
    const child = start([fault, 'wait']);
    const first = launchOf(await child.message('launched'));
    expect(first).toEqual({ run: expect.stringMatching(/^[a-f0-9]{32}$/), ownExits: 0 });
    const second = launchOf(await secondLaunch(child));
    expect(second).toMatchObject({ ownExits: 1, ownExit: { run: first.run, reason } });
    expect(second.run).not.toBe(first.run);
    expect(second.ownExit?.ranMs).toBeGreaterThan(0);
  });

  test('a handler that loops for ever, by the watchdog', async () => {
    const child = start(['block', 'wait'], { env: { ANABRANCH_WATCHDOG_MS: '500' } });
    expect(launchOf(await secondLaunch(child)).ownExit?.reason).toBe('SIGABRT');
    expect(child.lines).toContainEqual(
      expect.objectContaining({ level: 'fatal', msg: 'the event loop is blocked: the process ends' }),
    );
  });

  test('a heap at its limit', async () => {
    const child = start(['heap', 'wait'], { options: ['--max-old-space-size=64'] });
    expect(launchOf(await secondLaunch(child)).ownExit?.reason).toBe('SIGABRT');
  });

  test('memory outside of the heap above the limit', async () => {
    const child = start(['memory', 'wait'], { env: { ANABRANCH_MEMORY_LIMIT_MB: '400' } });
    expect(launchOf(await secondLaunch(child)).ownExit?.reason).toBe('SIGABRT');
    expect(child.lines).toContainEqual(
      expect.objectContaining({ level: 'fatal', msg: 'the memory is above its limit: the process ends' }),
    );
  });
});

describe('any other end is the launcher’s own', () => {
  test('a service that gives up in order, with its exit code', async () => {
    const child = start(['fail']);
    expect(await child.exit).toEqual({ code: 1, signal: null });
    expect(child.lines.filter(({ msg }) => msg === 'launched')).toHaveLength(1);
  });

  test('wrong settings, with exit code 78', async () => {
    const child = start(['wait'], { env: { ANABRANCH_DRAIN_MS: 'soon' } });
    expect(await child.exit).toEqual({ code: 78, signal: null });
  });

  test.each([
    ['SIGKILL', 137],
    ['SIGTERM', 0],
  ] as const)('%s from outside, which is nobody’s fault', async (signal, code) => {
    const child = start(['wait']);
    const { childPid } = await child.message('launched');
    await child.message('ready');
    process.kill(Number(childPid), signal);
    expect(await child.exit).toEqual({ code, signal: null });
  });

  test.each(['SIGTERM', 'SIGINT'] as const)('%s to the launcher stops the process in order', async (signal) => {
    const child = start(['wait']);
    await child.message('ready');
    child.kill(signal);
    expect(await child.exit).toEqual({ code: 0, signal: null });
    expect(child.lines).toContainEqual(expect.objectContaining({ msg: 'stopped' }));
  });

  test('SIGUSR2 to the launcher reaches the process, which then gives its seats up when it stops', async () => {
    const child = start(['wait']);
    await child.message('ready');
    child.kill('SIGUSR2');
    await child.message('will not come back after its next stop: it gives its places in consumer groups up then');
    child.kill('SIGTERM');
    expect(await child.exit).toEqual({ code: 0, signal: null });
  });

  test('SIGUSR2 between two runs reaches the run that follows', async () => {
    const child = start(['throw', 'wait']);
    await child.message('the process ended by its own fault; it is started again');
    child.kill('SIGUSR2');
    await child.message('will not come back after its next stop: it gives its places in consumer groups up then');
    child.kill('SIGTERM');
    expect(await child.exit).toEqual({ code: 0, signal: null });
  });

  test('SIGUSR2 to a run that cannot hear it yet reaches the one in its place, which is told all that it was told', async () => {
    const child = start(['throw', 'deaf']);
    const told = launchOf(await secondLaunch(child));
    await child.message('hears nothing');
    child.kill('SIGUSR2');
    const third = await child.line(({ msg, launch }) => msg === 'launched' && 'isRemoved' in (launch as object));
    expect(third['launch']).toEqual({ ...told, isRemoved: true });
  });

  test('a launcher that is gone leaves no process behind', async () => {
    const child = start(['wait']);
    await child.message('ready');
    child.kill('SIGKILL');
    await child.exit;
    expect(child.lines).toContainEqual(expect.objectContaining({ msg: 'stopping', reason: 'the launcher is gone' }));
  });
});

test('a process that is frozen for longer than its event loop may be blocked is left alone', async () => {
  const env = { ANABRANCH_WATCHDOG_MS: '500' };
  const child = start(['wait'], { env });
  const { childPid } = await child.message('launched');
  await child.message('ready');
  process.kill(Number(childPid), 'SIGSTOP');
  // For as long as the same watchdog needs to end another process that is blocked.
  await secondLaunch(start(['block', 'wait'], { env }));
  process.kill(Number(childPid), 'SIGCONT');
  child.kill('SIGTERM');
  expect(await child.exit).toEqual({ code: 0, signal: null });
});
