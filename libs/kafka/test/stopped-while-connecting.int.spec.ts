import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { NodeChild } from '@anabranch/test-support';
import { topicNameOf } from '../src/kafka-config.js';
import type { ClientOptions } from './fixtures/client-alone.js';
import { KafkaProxy, kafkaApis, type AnswerFate } from './harness/kafka-proxy.js';
import { Platform } from './harness/platform.js';

const preload = fileURLToPath(new URL('./fixtures/from-source.mjs', import.meta.url));
const program = fileURLToPath(new URL('./fixtures/client-alone.ts', import.meta.url));

describe('a client that is stopped before it is a member', () => {
  const children: NodeChild[] = [];
  let platform: Platform;

  beforeEach(async () => {
    platform = await Platform.start();
  });
  afterEach(async () => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    await platform.close();
  });

  const start = (address: string): NodeChild => {
    const config = { ...platform.config, brokers: [address] };
    const topics = [topicNameOf(config, 'document.ingested')];
    const options: ClientOptions = { config, group: platform.uniqueGroup(), topics };
    const args = ['--conditions=@anabranch/source', '--import', preload, program, JSON.stringify(options)];
    const child = NodeChild.start({ args });
    children.push(child);
    return child;
  };
  /** Its process ends by itself, so nothing of the client is left, and it has become no member. */
  const expectItsEnd = async (child: NodeChild): Promise<void> => {
    child.kill('SIGTERM');
    expect(await child.exit).toEqual({ code: 0, signal: null });
    const said = child.lines.map(({ msg }) => msg);
    expect(said).toContain('stopped');
    expect(said).toContain('started');
    expect(said).not.toContain('assigned');
  };

  it('gives up a broker that does not take its connections', async () => {
    const child = start('127.0.0.1:1');
    await child.message('starting');
    await child.line(({ msg }) => String(msg).startsWith('Connection error'));
    await expectItsEnd(child);
  }, 60_000);

  it('gives up a broker that does not answer', async () => {
    const broker = new SilentServer();
    const child = start(await broker.open());
    await broker.connected;
    await expectItsEnd(child);
    broker.close();
  }, 60_000);

  it.each([
    ['metadata', kafkaApis.metadata],
    ['its coordinator', kafkaApis.findCoordinator],
    ['its membership', kafkaApis.joinGroup],
    ['its assignment', kafkaApis.syncGroup],
  ])(
    'gives up waiting for %s',
    async (_, apiKey) => {
      const asked = Promise.withResolvers<void>();
      const judge = (exchange: { apiKey: number }): AnswerFate => {
        if (exchange.apiKey !== apiKey) return 'comes';
        asked.resolve();
        return 'never comes';
      };
      const proxy = await KafkaProxy.start(platform.config.brokers[0] ?? '', judge);
      const child = start(proxy.address);
      await asked.promise;
      await expectItsEnd(child);
      await proxy.close();
    },
    60_000,
  );
});

/** Takes connections, and says nothing. */
class SilentServer {
  private readonly sockets = new Set<Socket>();
  private readonly first = Promise.withResolvers<void>();
  private readonly server: Server = createServer((socket) => {
    this.sockets.add(socket.on('error', () => {}));
    this.first.resolve();
  });

  async open(): Promise<string> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  get connected(): Promise<void> {
    return this.first.promise;
  }

  close(): void {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
  }
}
