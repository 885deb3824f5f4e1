import { beforeAll, describe, expect, it } from '@jest/globals';
import { createRequire } from 'node:module';
import { GroupMember } from '../src/kafkajs/group-member.js';
import { patchKafkajs } from '../src/kafkajs/patches.js';
import { settled } from '../src/testing/index.js';

const require = createRequire(import.meta.url);

interface ConsumerGroup {
  joinAndSync(): Promise<void>;
  commitOffsets(offsets: { topics: readonly object[] }): Promise<void>;
}

const log = { namespace: () => log, debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const offsets = { topics: [{ topic: 'topic', partitions: [{ partition: 0, offset: '1' }] }] };

/** kafkajs' own group, as the patches leave it, with a coordinator that answers as it is told. */
function joinedGroup(onJoining: () => void) {
  const requests: string[] = [];
  let generation = 0;
  let sync: PromiseWithResolvers<void> | undefined;
  const coordinator = {
    joinGroup: () => {
      generation++;
      requests.push(`join ${generation}`);
      return Promise.resolve({ generationId: generation, leaderId: 'other', memberId: 'member', members: [] });
    },
    syncGroup: async () => {
      requests.push(`sync ${generation}`);
      await sync?.promise;
      return {
        memberAssignment: MemberAssignment.encode({
          version: 0,
          assignment: { topic: [0] },
          userData: Buffer.alloc(0),
        }),
      };
    },
    offsetCommit: ({ groupGenerationId }: { groupGenerationId: number }) =>
      Promise.resolve(void requests.push(`commit ${groupGenerationId}`)),
    isConnected: () => true,
  };
  const { MemberAssignment } = require('kafkajs/src/consumer/assignerProtocol') as {
    MemberAssignment: { encode(assignment: object): Buffer };
  };
  const Group = require('kafkajs/src/consumer/consumerGroup') as new (options: object) => ConsumerGroup;
  const group = new Group({
    groupId: 'group',
    topics: ['topic'],
    assigners: [],
    logger: log,
    instrumentationEmitter: { emit: () => {} },
    retry: { retries: 0 },
    cluster: {
      findGroupCoordinator: () => Promise.resolve(coordinator),
      findTopicPartitionMetadata: () => [{ partitionId: 0 }],
      committedOffsets: () => ({}),
    },
  });
  const member = new GroupMember('group', undefined, {
    onFenced: () => {},
    onFallback: () => {},
    onFound: () => [],
    onJoining,
  });
  return {
    requests,
    join: () => member.run(() => group.joinAndSync()),
    commit: () => member.run(() => group.commitOffsets(offsets)),
    holdSync: () => (sync = Promise.withResolvers<void>()),
  };
}

describe('a join of kafkajs, whatever it is for', () => {
  beforeAll(patchKafkajs);

  it('is announced, and a commit that is made then arrives before it', async () => {
    let isJoined = false;
    const group = joinedGroup(() => isJoined && void group.commit());
    await group.join();
    isJoined = true;
    await group.join();
    expect(group.requests).toEqual(['join 1', 'sync 1', 'commit 1', 'join 2', 'sync 2']);
  });

  it('lets no commit for the earlier assignment pass as one of the new generation', async () => {
    const group = joinedGroup(() => {});
    await group.join();
    const sync = group.holdSync();
    const joining = group.join();
    await settled();
    await group.commit();
    expect(group.requests).toEqual(['join 1', 'sync 1', 'join 2', 'sync 2', 'commit 1']);
    sync.resolve();
    await joining;
    await group.commit();
    expect(group.requests.at(-1)).toBe('commit 2');
  });
});
