import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { topics, type TopicDefinition } from '@anabranch/contracts';
import { StopService } from '@anabranch/failures';
import { eventually, NodeChild } from '@anabranch/test-support';
import { createAdmin, type KafkaAdmin, type KafkaConfig } from '../src/index.js';
import { createRegistryAdmin } from '../src/admin/registry-admin.js';
import { startUpCheck } from '../src/admin/start-up-check.js';
import { Platform } from './harness/platform.js';
import { uniqueConfig } from './harness/environment.js';

const definition: TopicDefinition = { ...topics['document.ingested'], partitions: 3 };

describe('setting up broker and registry', () => {
  const config = uniqueConfig();
  let admin: KafkaAdmin;

  beforeAll(() => {
    admin = createAdmin(config);
  });
  afterAll(async () => {
    await admin.deleteTopics([definition.name]);
    await admin.close();
  });

  it('before it, the start-up check says in one message what is missing and how to make it', async () => {
    const check = startUpCheck(admin, config, { names: ['document.ingested', 'dead-letters'] });
    await expect(check).rejects.toBeInstanceOf(StopService);
    const message = await check.catch((error: Error) => error.message);
    expect(message).toContain(`the topic ${config.topicPrefix}document.ingested does not exist`);
    expect(message).toContain(`the topic ${config.topicPrefix}dead-letters does not exist`);
    expect(message).toContain(`the registry lacks the newest version of ${config.topicPrefix}document.ingested-value`);
    expect(message).toContain('npm start');
  });

  it('makes topics with the broker’s clock and the retention of their definition, and repeats nothing', async () => {
    const name = `${config.topicPrefix}${definition.name}`;
    expect(await admin.ensureTopics([definition])).toEqual({ created: [name], problems: [] });
    expect(await admin.ensureTopics([definition])).toEqual({ created: [], problems: [] });
    expect(await admin.describeTopics([definition.name])).toEqual([
      { name, partitions: 3, retentionMs: definition.retentionMs, timestampType: 'LogAppendTime' },
    ]);
  });

  it('reports a topic that is there with another number of partitions, and leaves it alone', async () => {
    const { problems } = await admin.ensureTopics([{ ...definition, partitions: 8 }]);
    expect(problems).toEqual([`The topic ${config.topicPrefix}${definition.name} has 3 partitions, not 8.`]);
    expect((await admin.describeTopics([definition.name]))[0]?.partitions).toBe(3);
  });

  it('registers schemas under the compatibility of their topic, and leaves the global level alone', async () => {
    const level = async (path: string): Promise<unknown> => (await fetch(`${config.registryUrl}${path}`)).json();
    const globalLevel = await level('/config');
    const [registered] = await admin.registerSchemas([definition]);
    expect(registered).toMatchObject({ subject: `${config.topicPrefix}document.ingested-value`, version: 1 });
    expect(await admin.registerSchemas([definition])).toEqual([registered]);
    expect(await level(`/config/${config.topicPrefix}document.ingested-value`)).toEqual({
      compatibilityLevel: 'FULL_TRANSITIVE',
    });
    expect(await level('/config')).toEqual(globalLevel);
  });

  it('says the registry’s reason when it refuses a version', async () => {
    const incompatible = { version: 2, schema: JSON.stringify({ type: 'record', name: 'Other', fields: [] }) };
    const versions = [...definition.versions, incompatible];
    await expect(admin.registerSchemas([{ ...definition, versions }])).rejects.toThrow(
      /409 for version 2 of .*Incompatible/,
    );
  });

  it('afterwards lets the service start, with a warning about what deviates', async () => {
    expect(await startUpCheck(admin, config, { names: ['document.ingested'] })).toEqual([
      `The topic ${config.topicPrefix}document.ingested has 3 partitions, not 8.`,
    ]);
  });

  it('refuses retries that may outlive the records, and names both settings', async () => {
    const needs = { names: ['document.ingested'] as const, retryMaxAgeMs: definition.retentionMs / 2 };
    await expect(startUpCheck(admin, config, needs)).rejects.toThrow(
      /settings\.retry\.maxAgeMs.*half of retention\.ms/,
    );
  });

  it('says that the registry is down when it is', async () => {
    const down = createRegistryAdmin({ ...config, registryUrl: 'http://127.0.0.1:1' });
    await expect(down.missingSchemas([definition])).rejects.toMatchObject({ dependency: 'registry' });
  });

  it('takes an address without the registry’s path for a wrong address, not for a missing schema', async () => {
    const pathless = createRegistryAdmin({ ...config, registryUrl: new URL(config.registryUrl).origin });
    await expect(pathless.missingSchemas([definition])).rejects.toThrow(/its path is missing.*404/);
    await expect(pathless.missingSchemas([definition])).rejects.toBeInstanceOf(StopService);
  });
});

describe('reading what a group has done', () => {
  let platform: Platform;

  beforeAll(async () => {
    platform = await Platform.start();
  });
  afterAll(() => platform.close());

  it('gives committed offsets only where there are some, and the ends of a topic', async () => {
    expect(await platform.committed(platform.uniqueGroup())).toEqual(new Map());
    await platform.publish('document', 'text');
    expect(await platform.admin.endOffsets('document.ingested')).toMatchObject([{ partition: 0, low: 0, high: 1 }]);
  });
});

describe('starting a consumer', () => {
  let platform: Platform;

  beforeAll(async () => {
    platform = await Platform.start();
  });
  afterAll(() => platform.close());

  const consumerOf = (config: Partial<KafkaConfig>) =>
    platform.consumer({
      group: platform.uniqueGroup(),
      topics: { 'document.ingested': { handler: () => Promise.resolve() } },
      config: { ...platform.config, ...config },
    });

  it('fails with what is missing', async () => {
    const start = consumerOf({ topicPrefix: 'nobody-made-these.' }).start();
    await expect(start).rejects.toThrow('the topic nobody-made-these.document.ingested does not exist');
  });

  it.each([
    ['broker', { brokers: ['127.0.0.1:1'] }, 'Kafka: '],
    ['registry', { registryUrl: 'http://127.0.0.1:1' }, 'The schema registry '],
  ])('waits for a %s that is down, says so, and can be stopped', async (_, config, reason) => {
    const consumer = consumerOf(config);
    const started = consumer.start();
    await eventually(() => consumer.health().reasons.some((each) => each.startsWith(reason)));
    await consumer.stop(1_000);
    await started;
    expect(consumer.health().ready).toBe(false);
  });

  it('keeps its process while it waits, though nothing else does', async () => {
    const deaf = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
    await once(deaf, 'listening');
    const config = { ...platform.config, brokers: [`127.0.0.1:${(deaf.address() as AddressInfo).port}`] };
    const program = fileURLToPath(new URL('./fixtures/bare-member.mjs', import.meta.url));
    const member = NodeChild.start({ args: [program, JSON.stringify(config)] });
    await member.message('waiting for a dependency');
    const again = once(deaf, 'connection').then(() => 'asks again');
    expect(await Promise.race([again, member.exit])).toBe('asks again');
    member.kill('SIGKILL');
    await member.exit;
    deaf.close();
  });
});
