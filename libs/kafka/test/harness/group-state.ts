import kafkajs from 'kafkajs';
import type { KafkaConfig } from '../../src/index.js';

/** Whether nobody is a member of the group any more. */
export async function isMemberless({ brokers }: KafkaConfig, group: string): Promise<boolean> {
  const admin = new kafkajs.Kafka({ brokers: [...brokers], logLevel: kafkajs.logLevel.NOTHING }).admin();
  await admin.connect();
  try {
    const { groups } = await admin.describeGroups([group]);
    return groups.every(({ members }) => members.length === 0);
  } finally {
    await admin.disconnect();
  }
}
