import { mkdtempSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { NodeChild } from '@anabranch/test-support';
import { getHealth, startHosted } from './fixtures/start-hosted.js';

const children: NodeChild[] = [];
const folders: string[] = [];

function start(names: string[], env?: Record<string, string>): NodeChild {
  const child = startHosted(names, env);
  children.push(child);
  return child;
}

function readyFileOf(): string {
  const folder = mkdtempSync(join(tmpdir(), 'ready-'));
  folders.push(folder);
  return join(folder, 'ready.json');
}

function messages(child: NodeChild): unknown[] {
  return child.lines.map(({ msg }) => msg);
}

afterEach(async () => {
  for (const child of children.splice(0)) {
    child.kill('SIGKILL');
    await child.exit;
  }
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

describe('a stop', () => {
  test('closes streams, drains the transport, runs Nest hooks, then closes relays before stores', async () => {
    const child = start(['ordered']);
    await child.message('ready');
    child.kill('SIGTERM');
    expect(await child.exit).toEqual({ code: 0, signal: null });
    const order = messages(child);
    expect(order.slice(order.indexOf('stopping'))).toEqual([
      'stopping',
      'streams closed',
      'transport closing',
      'transport closed',
      'onModuleDestroy ran',
      'relay closed',
      'store closed',
      'stopped',
    ]);
  });

  test('keeps its seats for a restart, unless SIGUSR2 said before that there will be none', async () => {
    const [restarted, removed] = [start(['removable']), start(['removable'])];
    await Promise.all([restarted, removed].map((child) => child.message('ready')));
    removed.kill('SIGUSR2');
    await removed.message('will not come back after its next stop: it gives its places in consumer groups up then');
    for (const child of [restarted, removed]) child.kill('SIGTERM');
    for (const child of [restarted, removed]) expect(await child.exit).toEqual({ code: 0, signal: null });
    expect(messages(restarted)).toContain('kept its seat');
    expect(messages(removed)).toContain('gave its seat up');
  });

  test('gives up on work that does not finish within drainMs, closes the rest, and exits non-zero', async () => {
    const child = start(['stuck'], { ANABRANCH_DRAIN_MS: '50' });
    await child.message('ready');
    child.kill('SIGTERM');
    expect(await child.exit).toEqual({ code: 1, signal: null });
    expect(child.lines).toContainEqual(
      expect.objectContaining({
        step: 'drain',
        err: expect.objectContaining({ message: 'work in flight did not finish within 50 ms' }),
      }),
    );
    expect(messages(child)).toContain('stopped');
  });

  test('asked for twice ends at once, whatever is in flight', async () => {
    const child = start(['stuck']);
    await child.message('ready');
    child.kill('SIGTERM');
    await child.message('transport closing');
    child.kill('SIGTERM');
    expect(await child.exit).toEqual({ code: 1, signal: null });
    expect(messages(child)).toContain('SIGTERM again: stopping at once');
  });

  test('works during start-up, too', async () => {
    const child = start(['waiting']);
    await child.line(({ msg }) => String(msg).startsWith('wrote'));
    child.kill('SIGTERM');
    expect(await child.exit).toEqual({ code: 0, signal: null });
  });

  test('follows when the launcher is gone, so that none is orphaned', async () => {
    const child = start(['ordered'], { ANABRANCH_PARENT_PIPE: '1' });
    await child.message('ready');
    child.closeInput();
    expect(await child.exit).toEqual({ code: 0, signal: null });
    expect(child.lines).toContainEqual(expect.objectContaining({ msg: 'stopping', reason: 'the launcher is gone' }));
  });

  test('stays orderly though nobody reads its log any more', async () => {
    const child = start(['ordered'], { ANABRANCH_PARENT_PIPE: '1' });
    await child.message('ready');
    child.process.stdout.destroy();
    child.closeInput();
    expect(await child.exit).toEqual({ code: 0, signal: null });
  });

  test('leaves Ctrl-C to the launcher that stops its processes in order', async () => {
    const child = start(['ordered'], { ANABRANCH_PARENT_PIPE: '1' });
    await child.message('ready');
    child.kill('SIGINT');
    child.kill('SIGTERM');
    expect(await child.exit).toEqual({ code: 0, signal: null });
    expect(child.lines).toContainEqual(expect.objectContaining({ msg: 'stopping', reason: 'SIGTERM' }));
  });

  test('lets a request in flight finish', async () => {
    const child = start(['api']);
    const { httpPort } = await child.message('ready');
    const answer = fetch(`http://127.0.0.1:${String(httpPort)}/slow`);
    await child.message('request in flight');
    child.kill('SIGTERM');
    expect(await (await answer).text()).toBe('answered');
    expect(await child.exit).toEqual({ code: 0, signal: null });
  });

  test('does not wait for a request for longer than drainMs', async () => {
    const child = start(['api'], { ANABRANCH_DRAIN_MS: '50' });
    const { httpPort } = await child.message('ready');
    const answer = fetch(`http://127.0.0.1:${String(httpPort)}/stuck`);
    const failure = answer.catch((error: unknown) => error);
    await child.message('request in flight');
    child.kill('SIGTERM');
    expect(await child.exit).toEqual({ code: 1, signal: null });
    expect(await failure).toMatchObject({ message: 'fetch failed' });
  });

  test('removes the ready file, which tells a launcher the real ports while the process is ready', async () => {
    const readyFile = readyFileOf();
    const child = start(['ordered'], { ANABRANCH_READY_FILE: readyFile });
    const { healthPort } = await child.message('ready');
    const report = { pid: child.pid, services: ['ordered'], healthPort };
    expect(JSON.parse(readFileSync(readyFile, 'utf8'))).toEqual(report);
    expect(await getHealth(healthPort, 'ready')).toMatchObject({ status: 200 });
    child.kill('SIGTERM');
    await child.exit;
    expect(existsSync(readyFile)).toBe(false);
  });
});

describe('a failure', () => {
  test('of a running service drains and exits non-zero with the reason', async () => {
    const child = start(['failing']);
    await child.message('ready');
    child.kill('SIGHUP');
    expect(await child.exit).toEqual({ code: 1, signal: null });
    expect(child.lines).toContainEqual(
      expect.objectContaining({ level: 'fatal', err: expect.objectContaining({ message: 'the consumer was fenced' }) }),
    );
    expect(messages(child)).toContain('transport closed');
  });

  test('to build a module exits non-zero with the reason instead of aborting the process', async () => {
    const child = start(['unbuildable']);
    expect(await child.exit).toEqual({ code: 1, signal: null });
    expect(child.lines).toContainEqual(
      expect.objectContaining({ level: 'fatal', err: expect.objectContaining({ message: 'no such column' }) }),
    );
  });

  test('that nobody caught is logged and ends the process, and its ready file with it', async () => {
    const child = start(['crashing'], { ANABRANCH_READY_FILE: readyFileOf() });
    await child.message('ready');
    child.kill('SIGHUP');
    expect(await child.exit).toEqual({ code: 70, signal: null });
    expect(child.lines).toContainEqual(
      expect.objectContaining({ level: 'fatal', err: expect.objectContaining({ message: 'nobody caught me' }) }),
    );
    expect(readdirSync(folders[0] ?? '')).toEqual([]);
  });
});
