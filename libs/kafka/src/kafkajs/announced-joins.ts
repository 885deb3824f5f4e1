import { createRequire } from 'node:module';
import { GroupMember } from './group-member.js';

// kafkajs joins again for several reasons (a rebalance, a topic with more partitions, a leader that moved), and says so
// before the join for the first of them only. It then has the new assignment some turns before it tells of it.

const require = createRequire(import.meta.url);

interface ConsumerGroup {
  readonly groupId: string;
  joinAndSync(): Promise<void>;
}

/** Tells members of every join before it is sent: what they commit then still counts for the assignment that they have. */
export function announceJoins(): void {
  const { prototype } = require('kafkajs/src/consumer/consumerGroup') as { readonly prototype: ConsumerGroup };
  const { joinAndSync } = prototype;
  prototype.joinAndSync = function (this: ConsumerGroup) {
    GroupMember.current(this.groupId)?.beginJoin();
    return joinAndSync.call(this);
  };
}
