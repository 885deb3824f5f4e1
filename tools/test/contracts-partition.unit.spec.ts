import { partitionOf } from '@anabranch/contracts';
import { describe, expect, it } from '@jest/globals';
import kafkajs from 'kafkajs';
import { randomBytes, randomInt } from 'node:crypto';

describe('a document is on the same partition, whoever sends it', () => {
  it('our partition of a key is that of the client’s Java-compatible partitioner, for 1,000 random keys', () => {
    const partitioner = kafkajs.Partitioners.DefaultPartitioner();
    const partitionMetadata = Array.from({ length: 8 }, (_, partitionId) => ({
      partitionErrorCode: 0,
      partitionId,
      leader: 0,
      replicas: [],
      isr: [],
    }));
    for (let index = 0; index < 1_000; index++) {
      const key = randomBytes(randomInt(0, 60));
      const theirs = partitioner({ topic: 't', partitionMetadata, message: { key, value: null } });
      expect({ key: key.toString('hex'), partition: partitionOf(key, 8) }).toEqual({
        key: key.toString('hex'),
        partition: theirs,
      });
    }
  });
});
