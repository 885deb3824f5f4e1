import { createRequire } from 'node:module';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { patchKafkajs } from '../src/kafkajs/patches.js';
import { encodedBatch, sharedBatch } from '../src/kafkajs/produce-request.js';

interface Protocol {
  response: { parse(answer: object): Promise<object> };
}
const require = createRequire(import.meta.url);
const { requests } = require('kafkajs/src/protocol/requests') as {
  requests: { Produce: { protocol(version: { version: number }): (args: object) => Protocol } };
};

const notLeader = 6;
const batch = encodedBatch(3, Buffer.from('records'));
/** What the broker of one partition says, which may be one of several brokers that a call is split over. */
const answer = { topics: [{ topicName: 't', partitions: [{ partition: 3, errorCode: notLeader }] }] };

describe('the answer to a produce request', () => {
  beforeAll(patchKafkajs);

  const parse = (message: object) => {
    const topicData = [{ topic: 't', partitions: [{ partition: 3, messages: [message] }] }];
    return requests.Produce.protocol({ version: 7 })({ acks: -1, timeout: 1, topicData }).response.parse(answer);
  };

  it('that carries one partition alone fails by its error, which kafkajs repeats or not', async () => {
    await expect(parse(batch)).rejects.toMatchObject({ type: 'NOT_LEADER_FOR_PARTITION', retriable: true });
  });

  it('that is part of a shared call is handed on, also when it is for one partition of its broker', async () => {
    expect(await parse(sharedBatch(batch))).toBe(answer);
  });
});
