import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { LogLine, NodeChild } from '@anabranch/test-support';
import { getHealth, startHosted } from './fixtures/start-hosted.js';

const children: NodeChild[] = [];

function start(names: string[], env?: Record<string, string>): NodeChild {
  const child = startHosted(names, env);
  children.push(child);
  return child;
}

/** A port that was free a moment ago, for what must know its port before the process is ready. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function loadedPackages(child: NodeChild): Promise<string[]> {
  const line: LogLine = await child.message('loaded');
  const modules = line['modules'] as string[];
  const names = modules.map((url) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1] ?? '');
  return [...new Set(names)];
}

afterEach(async () => {
  for (const child of children.splice(0)) {
    child.kill('SIGKILL');
    await child.exit;
  }
});

describe('a start', () => {
  test('serves liveness at once and says what it is not ready for', async () => {
    const port = await freePort();
    const child = start(['waiting'], { ANABRANCH_HEALTH_PORT: String(port) });
    await child.line(({ msg }) => String(msg).startsWith('wrote'));
    expect(await getHealth(port, 'live')).toEqual({
      status: 200,
      body: { live: true, services: ['waiting'], faults: [] },
    });
    expect(await getHealth(port, 'ready')).toEqual({
      status: 503,
      body: {
        ready: false,
        services: ['waiting'],
        faults: [
          { service: 'waiting', check: 'start', reason: 'starting' },
          { service: 'waiting', check: 'kafka', reason: 'no broker answers' },
          { service: 'waiting', check: 'kafka', reason: 'topic a is missing' },
        ],
      },
    });
  });

  test('loads no HTTP framework for a service without an API', async () => {
    const loaded = await loadedPackages(start(['ordered']));
    expect(loaded).toContain('@nestjs/microservices');
    expect(loaded.filter((name) => /fastify|express|swagger|avvio|find-my-way/.test(name))).toEqual([]);
  });

  test('loads Fastify for a service with one', async () => {
    expect(await loadedPackages(start(['api']))).toContain('fastify');
  });

  test('with wrong settings names all of them at once, with reason and fix, and no secret', async () => {
    const child = start(['configured', 'ordered'], {
      ANABRANCH_POOL_SIZE: '11',
      ANABRANCH_WEBHOOK_SECRET: 'swordfish',
      ANABRANCH_KAFKA_BROKER: 'localhost:9092',
      ANABRANCH_LOG_LEVEL: 'loud',
    });
    expect(await child.exit).toEqual({ code: 78, signal: null });
    expect(child.stderr).toContain('anabranch configured, ordered: 5 settings are wrong');
    expect(child.stderr).toContain('ANABRANCH_LOG_LEVEL is "loud"');
    expect(child.stderr).toContain('ANABRANCH_KAFKA_BROKERS is not set\n    fix: set it (a comma list of host:port)');
    expect(child.stderr).toContain('ANABRANCH_POOL_SIZE is "11"');
    expect(child.stderr).toContain('ANABRANCH_WEBHOOK_SECRET has a value that is not acceptable');
    expect(child.stderr).toContain('ANABRANCH_KAFKA_BROKER is not a setting of Anabranch');
    expect(child.stderr).toContain('did you mean ANABRANCH_KAFKA_BROKERS?');
    expect(child.transcript()).not.toContain('swordfish');
  });

  test('on a port that is taken says which setting moves it', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    const child = start(['ordered'], { ANABRANCH_HEALTH_PORT: String(port) });
    expect(await child.exit).toEqual({ code: 1, signal: null });
    taken.close();
    const message = `port ${port} is taken: set ANABRANCH_HEALTH_PORT to another one, or to 0`;
    expect(child.lines).toContainEqual(
      expect.objectContaining({ level: 'fatal', err: expect.objectContaining({ message }) }),
    );
  });

  test('of several services in one process keeps names and metrics apart and counts the process once', async () => {
    const child = start(['ordered', 'failing']);
    const { services, healthPort } = await child.message('ready');
    expect(services).toEqual(['ordered', 'failing']);
    const listening = child.lines.filter(({ msg }) => msg === 'transport listens');
    expect(listening.map(({ service }) => service)).toEqual(['ordered', 'failing']);
    const page = await (await fetch(`http://127.0.0.1:${String(healthPort)}/metrics`)).text();
    expect(page.match(/^process_resident_memory_bytes\{service="compact"\} \d+$/gm)).toHaveLength(1);
  });
});

describe('the log', () => {
  test('holds no secret and no document text', async () => {
    const child = start(['waiting'], { ANABRANCH_TEST_DATABASE_PASSWORD: 'correct horse' });
    const line = await child.line(({ msg }) => String(msg).startsWith('wrote'));
    expect(line).toMatchObject({ msg: 'wrote [redacted]', password: '[redacted]', job: { text: '[redacted]' } });
    expect(child.transcript()).not.toContain('correct horse');
  });

  test('names the service on lines that Nest writes', async () => {
    const child = start(['ordered', 'failing']);
    await child.message('ready');
    child.kill('SIGTERM');
    await child.exit;
    expect(child.lines).toContainEqual(expect.objectContaining({ service: 'ordered', msg: 'onModuleDestroy ran' }));
  });
});
