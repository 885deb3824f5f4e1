import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { systemClock } from '../src/clock.js';
import { topicNameOf } from '../src/kafka-config.js';
import { KafkajsBroker } from '../src/kafkajs/broker-port.js';
import { Platform } from './harness/platform.js';

describe('a broker that takes less metadata than a commit has', () => {
  let platform: Platform;

  beforeAll(async () => {
    platform = await Platform.start();
  });
  afterAll(() => platform.close());

  it('gets the next commit without any, with a warning, so that offsets go on', async () => {
    const group = platform.uniqueGroup();
    const topic = topicNameOf(platform.config, 'document.ingested');
    const { config, log } = platform;
    for (const documentId of ['a', 'b']) await platform.publish(documentId, 'text');
    const session = { sessionTimeoutMs: 6_000, heartbeatIntervalMs: 1_000 };
    const broker = new KafkajsBroker({ config, group, topics: [topic], ...session, clock: systemClock, log });
    const ignore = () => {};
    await broker.start({
      onAssigned: ignore,
      onPositions: ignore,
      onRevoking: ignore,
      onLost: ignore,
      onBatch: ignore,
      onFatal: ignore,
    });
    const committed = () => platform.admin.committedOffsets(group, ['document.ingested']);

    await broker.commit([{ topic, partition: 0, offset: 1, metadata: 'small' }]);
    expect(await committed()).toEqual([{ topic, partition: 0, offset: 1, metadata: 'small' }]);
    const tooLarge = { topic, partition: 0, offset: 2, metadata: 'x'.repeat(5_000) };
    await expect(broker.commit([tooLarge])).rejects.toThrow('metadata');
    expect(log.at('warn')).toContain(
      'the broker takes too little offset metadata; after a crash more records come again',
    );
    await broker.commit([tooLarge]);
    expect(await committed()).toEqual([{ topic, partition: 0, offset: 2, metadata: '' }]);
    await broker.stop(2_000);
  });
});
