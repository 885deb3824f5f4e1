import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { topics } from '@anabranch/contracts';
import { eventually } from '@anabranch/test-support';
import { createSchemaRegistry, type Consumer } from '../src/index.js';
import { Platform } from './harness/platform.js';
import { RegistryProxy } from './harness/registry-proxy.js';

const topic = 'document.ingested';

describe('a consumer and its registry', () => {
  let platform: Platform;
  let proxy: RegistryProxy;
  let consumer: Consumer;
  let group: string;
  const handled: string[] = [];

  beforeAll(async () => {
    platform = await Platform.start({ partitions: 2 });
    proxy = await RegistryProxy.start(platform.config.registryUrl);
    group = platform.uniqueGroup();
    consumer = platform.consumer({
      group,
      topics: {
        [topic]: { handler: ({ event: { documentId } }) => Promise.resolve(void handled.push(documentId)) },
      },
      registry: createSchemaRegistry({ config: { ...platform.config, registryUrl: proxy.url } }),
      settings: { probes: { firstWaitMs: 50, maxWaitMs: 100 } },
    });
    await consumer.start();
  });
  afterAll(async () => {
    await platform.close();
    await proxy.close();
  });

  const send = (value: Buffer, partition: number): Promise<void> =>
    platform.producer.publishRaw(topic, { key: Buffer.from('key'), value, headers: [], partition });
  const withSchema = (value: Buffer, schemaId: number): Buffer => {
    const changed = Buffer.from(value);
    changed.writeInt32BE(schemaId, 1);
    return changed;
  };

  it('while it is down: known schemas flow, a new one holds back its partition only, nothing is dead-lettered, and all resumes', async () => {
    proxy.isDown = true;
    // Known from the check at the start: no record has brought it.
    await send(await platform.encoded('known schema', 'text'), 0);
    await eventually(() => handled.includes('known schema'));
    await send(withSchema(await platform.encoded('new schema', 'text'), await registerVariant(platform)), 0);
    await send(await platform.encoded('behind it', 'text'), 0);
    await eventually(() => consumer.health().reasons.some((reason) => reason.includes('waits for the registry')));
    await send(await platform.encoded('other partition', 'text'), 1);
    await eventually(() => handled.includes('other partition'));
    expect(handled).not.toContain('behind it');

    proxy.isDown = false;
    await eventually(() => handled.includes('behind it'));
    expect(handled.slice(-2)).toEqual(['new schema', 'behind it']);
    expect(consumer.health()).toEqual({ ready: true, reasons: [] });
    expect(await platform.admin.endOffsets('dead-letters')).toMatchObject([{ high: 0 }, { high: 0 }]);
  });

  it('when it does not know an id: it is not asked again for every record', async () => {
    const unknown = 2_000_000_000;
    const poison = withSchema(await platform.encoded('poison', 'text'), unknown);
    await Promise.all(Array.from({ length: 200 }, (_, index) => send(poison, index % 2)));
    await eventually(async () => {
      const ends = await platform.admin.endOffsets('dead-letters');
      return ends.reduce((sum, { high }) => sum + high, 0) === 200;
    });
    expect(proxy.asked.filter((asked) => asked.endsWith(`/${unknown}`)).length).toBeLessThanOrEqual(2);
  });
});

/** Another schema that writes the same bytes, under an id of its own. */
async function registerVariant(platform: Platform): Promise<number> {
  const definition = topics[topic];
  const schema = JSON.stringify({
    ...JSON.parse(definition.versions[0]?.schema ?? '{}'),
    doc: platform.config.topicPrefix,
  });
  const variant = { ...definition, subject: 'variant-value', versions: [{ version: 1, schema }] };
  const [registered] = await platform.admin.registerSchemas([variant]);
  return registered?.id ?? 0;
}
