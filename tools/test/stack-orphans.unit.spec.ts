import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, watch, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

const spawnModule = new URL('../stack/run/spawn.mjs', import.meta.url).href;
let server: Server;
let launcher: ChildProcess | undefined;

beforeEach(async () => {
  server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  launcher?.kill('SIGKILL');
  server.close();
});

/** Kills a launcher, as soon as its child has connected to this spec, and awaits the end of the connection: the child's. */
async function killLauncherOf(child: string, start: string): Promise<void> {
  const script = `const { removeWhenOrphaned, spawnGuarded, spawnWithParentPipe } = await import('${spawnModule}');
    const program = { command: process.execPath, args: ['-e', ${JSON.stringify(child)}] };
    ${start};
    setInterval(() => {}, 1e6);`;
  launcher = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'ignore' });
  const [connection] = (await once(server, 'connection')) as [Socket];
  connection.resume().on('error', () => {});
  launcher.kill('SIGKILL');
  await once(connection, 'close');
}

function connectedChild(): string {
  const { port } = server.address() as AddressInfo;
  return `require('net').connect(${port}, '127.0.0.1')`;
}

describe('kill -9 of the launcher', () => {
  it('ends a program that knows nothing of it', async () => {
    const start = `spawnGuarded({ ...program, stopSignal: 'SIGTERM', delaySeconds: 0 })`;
    await expect(killLauncherOf(connectedChild(), start)).resolves.toBeUndefined();
  });

  it('ends a service, which hears of it by its standard input', async () => {
    const child = `${connectedChild()}; process.stdin.resume().on('end', () => process.exit(0))`;
    const start = `spawnWithParentPipe({ ...program, cwd: '/', env: process.env })`;
    await expect(killLauncherOf(child, start)).resolves.toBeUndefined();
  });

  it('removes the address book, which would lead nowhere', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'anabranch-orphan-'));
    const file = join(folder, 'local.json');
    writeFileSync(file, '{}');
    const changes = watch(folder);
    const removed = once(changes, 'change');
    const child = `${connectedChild()}; process.stdin.resume().on('end', () => process.exit(0))`;
    const start = `removeWhenOrphaned([${JSON.stringify(file)}]); spawnWithParentPipe({ ...program, cwd: '/', env: process.env })`;
    await Promise.all([killLauncherOf(child, start), removed]);
    expect(existsSync(file)).toBe(false);
    changes.close();
    rmSync(folder, { recursive: true });
  });
});
