import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { answerRequest } from '../stack/requests.mjs';
import { serviceProcess } from '../stack/services.mjs';
import { readSettings } from '../stack/settings.mjs';
import { Stack } from '../stack/stack.mjs';
import { statePaths } from '../stack/state.mjs';

/** What a service owes to the launcher, and no more: a health page, the ready file, an end when standard input closes. */
const service = `
import { createServer } from 'node:http';
import { renameSync, writeFileSync } from 'node:fs';
const server = createServer((request, response) => response.end('{}')).listen(0, '127.0.0.1', () => {
  const file = process.env.ANABRANCH_READY_FILE;
  writeFileSync(file + '.draft', JSON.stringify({ pid: process.pid, services: ['alpha'], healthPort: server.address().port }));
  renameSync(file + '.draft', file);
});
process.stdin.resume().on('end', () => process.exit(0));
console.log('instance ' + process.env.ANABRANCH_INSTANCE);`;

let root: string;
let stack: Stack;
let order: string[];

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'anabranch-parts-'));
  mkdirSync(join(root, 'services', 'alpha', 'dist'), { recursive: true });
  writeFileSync(join(root, 'services', 'alpha', 'package.json'), '{ "type": "module" }');
  writeFileSync(join(root, 'services', 'alpha', 'dist', 'main.js'), service);
  order = [];
  const report = ({ type, process }: { type: string; process: { name: string } }) => {
    if (type === 'stopped') order.push(process.name);
  };
  stack = new Stack({ logFolder: join(root, 'logs'), show: () => {}, report });
  const added = [
    stack.add(infrastructure('postgres')),
    stack.add(infrastructure('kafka')),
    stack.add(serviceProcess(services(), 'alpha', 0)),
  ];
  await Promise.all(added.map((process) => process.start()));
});
afterEach(async () => {
  await stack.stopAll();
  rmSync(root, { recursive: true });
});

function infrastructure(name: string) {
  return {
    name,
    spawn: () =>
      spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6); console.log("up")'], {
        detached: true,
        stdio: ['pipe', 'pipe', 'pipe'],
      }),
    ready: async (child: ChildProcess, signal: AbortSignal) => {
      if (child.stdout) await once(child.stdout, 'data', { signal });
      return {};
    },
  };
}

function services() {
  const settings = readSettings(
    { PATH: process.env.PATH, ANABRANCH_STATE_DIR: join(root, 'state'), ANABRANCH_CACHE_DIR: root },
    { root },
  );
  const addresses = { kafka: 'k', registry: 'r', postgres: 'p', postgresAdmin: 'a' };
  return { settings, paths: statePaths(settings.stateDir), addresses };
}

async function ask(command: string, ...names: string[]): Promise<string[]> {
  const notes: string[] = [];
  const context = { say: (note: string) => notes.push(note), stack, services: services(), compact: false };
  await answerRequest({ command, names }, context);
  return notes;
}

const states = () => Object.fromEntries(stack.processes.map(({ name, state }) => [name, state]));

describe('a part of the platform', () => {
  it('that is taken down stays down, alone, until it is brought back', async () => {
    await ask('stop', 'kafka', 'alpha');
    expect(states()).toEqual({ postgres: 'ready', kafka: 'stopped', alpha: 'stopped' });
    await ask('start', 'kafka');
    await ask('start', 'alpha');
    expect(states()).toEqual({ postgres: 'ready', kafka: 'ready', alpha: 'ready' });
  });

  it('that is up is joined by a further instance, with the next free index', async () => {
    await ask('start', 'alpha');
    await ask('start', 'alpha');
    expect(stack.named('alpha').map(({ name, index }) => [name, index])).toEqual([
      ['alpha', 0],
      ['alpha-1', 1],
      ['alpha-2', 2],
    ]);
    await ask('stop', 'alpha-1');
    expect(states()).toMatchObject({ alpha: 'ready', 'alpha-1': 'stopped', 'alpha-2': 'ready' });
    expect(await ask('start', 'alpha')).toEqual([expect.stringContaining('alpha-1 is ready')]);
  });

  it('of which there can be only one is not started twice', async () => {
    await expect(ask('start', 'kafka')).rejects.toThrow('kafka is up already, and there can be only one');
  });

  it('that does not exist is answered with the names that do', async () => {
    await expect(ask('stop', 'toxicity')).rejects.toThrow(
      'There is no "toxicity" here. There are: postgres, kafka, alpha',
    );
  });

  it('cannot be named in compact mode, where all services share one process', async () => {
    const context = { say: () => {}, stack, services: services(), compact: true };
    await expect(answerRequest({ command: 'stop', names: ['alpha'] }, context)).rejects.toThrow(
      'share the process "services"',
    );
  });
});

describe('the end of the platform', () => {
  it('takes services down before Kafka, and Kafka before PostgreSQL', async () => {
    await ask('start', 'alpha');
    await stack.stopAll();
    expect(order.slice(0, 2).sort()).toEqual(['alpha', 'alpha-1']);
    expect(order.slice(2)).toEqual(['kafka', 'postgres']);
  });
});
