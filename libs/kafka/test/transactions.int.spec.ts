import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually, uniqueName } from '@anabranch/test-support';
import kafkajs, { type Producer, type Transaction } from 'kafkajs';
import { topicNameOf } from '../src/kafka-config.js';
import { Platform } from './harness/platform.js';

const partition = 0;

describe('records of a transactional producer', () => {
  let platform: Platform;
  let group: string;
  let producer: Producer;

  beforeAll(async () => {
    platform = await Platform.start({ partitions: 1 });
    const client = new kafkajs.Kafka({ brokers: [...platform.config.brokers], logLevel: kafkajs.logLevel.NOTHING });
    producer = client.producer({ transactionalId: uniqueName('writer'), idempotent: true, maxInFlightRequests: 1 });
    await producer.connect();
  });
  beforeEach(() => {
    group = platform.uniqueGroup();
  });
  afterEach(async () => {
    const fatal = platform.fatal.splice(0);
    expect(fatal).toEqual([]);
  });
  afterAll(async () => {
    await producer.disconnect();
    await platform.close();
  });

  const start = async () => {
    const handled: string[] = [];
    const handler = ({ event }: { event: { documentId: string } }) =>
      Promise.resolve(void handled.push(event.documentId));
    await platform.consumer({ group, topics: { 'document.ingested': { handler } } }).start();
    return handled;
  };
  const write = async (documents: readonly string[], end: (transaction: Transaction) => Promise<void>) => {
    const transaction = await producer.transaction();
    const values = await Promise.all(documents.map((documentId) => platform.encoded(documentId, 'x'.repeat(10_000))));
    const messages = values.map((value, index) => ({ key: documents[index] ?? null, value, partition }));
    await transaction.send({ topic: topicNameOf(platform.config, 'document.ingested'), messages });
    await end(transaction);
  };
  const names = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
  const abort = (transaction: Transaction) => transaction.abort();
  const commit = (transaction: Transaction) => transaction.commit();

  it('that were all aborted are not handled, and the lag still reaches zero', async () => {
    await write(['given up'], abort);
    const handled = await start();
    await eventually(() => platform.hasNoLag(group));
    // More than one fetch brings, while it runs.
    for (let round = 0; round < 3; round++) await write(names('given up', 80), abort);
    const [end] = await platform.admin.endOffsets('document.ingested');
    expect(end?.high).toBe(1 + 1 + 3 * (80 + 1));
    await eventually(() => platform.hasNoLag(group));
    expect(handled).toEqual([]);
  });

  it('are handled in order when they were committed, whatever was aborted around them', async () => {
    await write(names('first', 3), commit);
    await write(['given up'], abort);
    await write(names('second', 3), commit);
    await write(['given up'], abort);
    const handled = await start();
    await eventually(() => platform.hasNoLag(group));
    await platform.publish('plain', 'text');
    await eventually(() => platform.hasNoLag(group));
    expect(handled).toEqual([...names('first', 3), ...names('second', 3), 'plain']);
  });
});
