import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@anabranch/test-support';
import { Registry } from 'prom-client';
import { createEventProducer } from '../src/index.js';
import { KafkajsSendPort } from '../src/kafkajs/send-port.js';
import { silentLogger } from '../src/logger.js';
import { VirtualClock } from '../src/testing/index.js';
import { planned } from './fixtures/plan.js';
import { isMemberless } from './harness/group-state.js';
import { KafkaProxy, kafkaApis, type AnswerFate, type KafkaExchange } from './harness/kafka-proxy.js';
import { MemberProcess } from './harness/member-process.js';
import { OwnBroker } from './harness/own-broker.js';
import { Platform } from './harness/platform.js';
import { readTopic } from './harness/read-topic.js';

const partitions = 2;
const session = { sessionTimeoutMs: 2_000, heartbeatIntervalMs: 500 };

describe('a broker that is stopped and started', () => {
  let broker: OwnBroker;
  let platform: Platform;
  let group: string;
  const members: MemberProcess[] = [];

  beforeAll(async () => {
    broker = await OwnBroker.start();
    platform = await Platform.start({ partitions, brokers: [broker.address] });
  });
  afterEach(async () => {
    for (const member of members.splice(0)) await member.end('SIGKILL');
  });
  afterAll(async () => {
    await platform.close();
    await broker.stop();
  });

  const join = async (instanceId: string) => {
    const member = await MemberProcess.join(platform.config, group, { ...session, instanceId });
    members.push(member);
    return member;
  };
  const names = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}-${index}`);

  it('costs no process, no record and no order: consumers and producers recover by themselves', async () => {
    group = platform.uniqueGroup();
    const plan = planned({ takesMs: 50, publishes: true });
    const started = [await join('a'), await join('b')];
    const documents = names('document', 10);
    const publish = (revision: number) =>
      Promise.all(documents.map((documentId) => platform.publish(documentId, plan, { revision })));
    const before = [publish(1), publish(2), publish(3)];
    await eventually(() => members.some((member) => member.documents('finished').length > 5));

    await broker.stop();
    const downAt = Date.now();
    // Longer than a session, with records on their way in both directions.
    const during = [publish(4), publish(5)];
    await eventually(() => Date.now() - downAt > 1.5 * session.sessionTimeoutMs);
    await broker.resume();

    await Promise.all([...before, ...during]);
    await eventually(() => platform.hasNoLag(group));
    await Promise.all(members.map((member) => member.heard()));
    expect(members.flatMap((member) => member.lines('fatal'))).toEqual([]);
    expect(started.map(({ child }) => child.process.exitCode)).toEqual([null, null]);
    // What handlers published is there, in order; some of it more than once.
    const ends = await platform.admin.endOffsets('document.enriched');
    const count = ends.reduce((sum, { high }) => sum + high, 0);
    const enriched = await readTopic(platform.config, 'document.enriched', count);
    for (const documentId of documents) {
      const ids = enriched
        .filter(({ key }) => String(key) === documentId)
        .map(({ headers }) => String(headers.find(([name]) => name === 'ce_id')?.[1]));
      expect([...new Set(ids)]).toEqual([1, 2, 3, 4, 5].map((revision) => `${documentId}/${revision}`));
    }
  }, 90_000);

  it('does not keep a process that is told to stop meanwhile', async () => {
    group = platform.uniqueGroup();
    const member = await join('stopped');
    await platform.publish('held', 'in flight');
    await member.says('started', 'held');
    await broker.stop();
    member.child.kill('SIGTERM');
    expect(await member.child.exit).toEqual({ code: 0, signal: null });
    await broker.resume();
    const successor = await join('stopped');
    successor.release();
    await eventually(() => platform.hasNoLag(group));
    await successor.heard();
    expect(successor.documents('finished')).toContain('held');
  }, 90_000);
});

describe('a connection that breaks', () => {
  const lost = 3;
  let platform: Platform;
  let proxy: KafkaProxy;

  beforeEach(async () => {
    platform = await Platform.start();
  });
  afterEach(async () => {
    await platform.close();
    await proxy.close();
  });

  it.each([
    ['finds its coordinator only at the fourth try', kafkaApis.findCoordinator],
    ['gets metadata only at the fourth try', kafkaApis.metadata],
    ['hears that it is no member only at the fourth try', kafkaApis.heartbeat],
    ['can join only at the fourth try', kafkaApis.joinGroup],
    ['gets an assignment only at the fourth try', kafkaApis.syncGroup],
    ['learns where it stands only at the fourth try', kafkaApis.offsetFetch],
  ])(
    'makes no consumer give up that %s',
    async (_, apiKey) => {
      let failures = 0;
      const judge = (exchange: KafkaExchange): AnswerFate => {
        if (failures === 0 || failures > lost || exchange.apiKey !== apiKey) return 'comes';
        failures++;
        return 'is cut off';
      };
      proxy = await KafkaProxy.start(platform.config.brokers[0] ?? '', judge);
      const group = platform.uniqueGroup();
      const handled: string[] = [];
      const consumer = platform.consumer({
        config: { ...platform.config, brokers: [proxy.address] },
        group,
        topics: {
          'document.ingested': { handler: ({ event }) => Promise.resolve(void handled.push(event.documentId)) },
        },
        settings: session,
      });
      await consumer.start();
      await platform.publish('before', 'text');
      await eventually(() => handled.includes('before'));
      failures = 1;
      // Its seat is given away meanwhile, so that it has to find its coordinator, join, and learn where it stands.
      proxy.isDown = true;
      await eventually(() => isMemberless(platform.config, group));
      proxy.isDown = false;
      await eventually(() => failures > lost || platform.fatal.length > 0, { timeoutMs: 60_000 });
      await platform.publish('after', 'text');
      await eventually(() => handled.includes('after') || platform.fatal.length > 0, { timeoutMs: 60_000 });
      expect(platform.fatal).toEqual([]);
      expect(consumer.health()).toEqual({ ready: true, reasons: [] });
      await consumer.stop(2_000);
    },
    90_000,
  );
});

describe('a producer without a broker', () => {
  it('ends at once, although clients are still trying to connect, and rejects what it could not send', async () => {
    const config = { brokers: ['127.0.0.1:1'], clientId: 'kafka-spec' };
    // Time stands still, so a stop that waited for anything would never end.
    const port = new KafkajsSendPort({ ...config, registryUrl: '' }, silentLogger, new VirtualClock());
    const record = { key: null, value: Buffer.from('value'), headers: [] };
    const attempts = [port.send('topic', 0, [record]), port.partitionCount('topic')];
    await port.stop(5_000);
    const ends = await Promise.allSettled(attempts);
    expect(ends).toMatchObject([
      { status: 'rejected', reason: { dependency: 'kafka' } },
      { status: 'rejected', reason: { dependency: 'kafka' } },
    ]);
  });

  it('tells whoever publishes that Kafka is away', async () => {
    const config = { brokers: ['127.0.0.1:1'], registryUrl: 'http://127.0.0.1:1', clientId: 'kafka-spec' };
    const registry = { idOf: () => Promise.resolve(1) } as never;
    const producer = createEventProducer({ config, registry, metrics: new Registry(), log: silentLogger });
    await expect(producer.start(['document.ingested'])).rejects.toMatchObject({ dependency: 'kafka' });
    await producer.stop(1_000);
    await expect(producer.publishRaw('topic', { key: null, value: null, headers: [] })).rejects.toMatchObject({
      dependency: 'kafka',
    });
  });
});
