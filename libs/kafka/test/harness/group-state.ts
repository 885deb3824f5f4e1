import kafkajs, { type ConsumerGroupState, type GroupDescription } from 'kafkajs';
import type { KafkaConfig } from '../../src/index.js';

/** Whether nobody is a member of the group any more. */
export async function isMemberless(config: KafkaConfig, group: string): Promise<boolean> {
  return (await describeGroup(config, group)).members.length === 0;
}

/** What the group does now, as the broker knows it. */
export async function groupState(config: KafkaConfig, group: string): Promise<ConsumerGroupState> {
  return (await describeGroup(config, group)).state;
}

async function describeGroup({ brokers }: KafkaConfig, group: string): Promise<GroupDescription> {
  const admin = new kafkajs.Kafka({ brokers: [...brokers], logLevel: kafkajs.logLevel.NOTHING }).admin();
  await admin.connect();
  try {
    const [description] = (await admin.describeGroups([group])).groups;
    if (description === undefined) throw new Error(`the broker says nothing about the group ${group}`);
    return description;
  } finally {
    await admin.disconnect();
  }
}
