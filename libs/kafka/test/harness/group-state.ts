import kafkajs, { type Admin, type ConsumerGroupState, type GroupDescription } from 'kafkajs';
import type { KafkaConfig } from '../../src/index.js';

/** Whether nobody is a member of the group any more. */
export async function isMemberless(config: KafkaConfig, group: string): Promise<boolean> {
  return (await describeGroup(config, group)).members.length === 0;
}

/** What the group does now, as the broker knows it. */
export async function groupState(config: KafkaConfig, group: string): Promise<ConsumerGroupState> {
  return (await describeGroup(config, group)).state;
}

/** Lets the topic have so many partitions. */
export async function addPartitions(config: KafkaConfig, topic: string, count: number): Promise<void> {
  const topicPartitions = [{ topic: `${config.topicPrefix ?? ''}${topic}`, count }];
  await ask(config, (admin) => admin.createPartitions({ topicPartitions }));
}

async function describeGroup(config: KafkaConfig, group: string): Promise<GroupDescription> {
  const [description] = (await ask(config, (admin) => admin.describeGroups([group]))).groups;
  if (description === undefined) throw new Error(`the broker says nothing about the group ${group}`);
  return description;
}

async function ask<T>({ brokers }: KafkaConfig, question: (admin: Admin) => Promise<T>): Promise<T> {
  const admin = new kafkajs.Kafka({ brokers: [...brokers], logLevel: kafkajs.logLevel.NOTHING }).admin();
  await admin.connect();
  try {
    return await question(admin);
  } finally {
    await admin.disconnect();
  }
}
