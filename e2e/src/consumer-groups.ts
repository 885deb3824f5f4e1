// What an operator does to a consumer group with Kafka's own tools.
import kafkajs from 'kafkajs';
import { addressBook, eventually } from './platform.js';

export type Positions = { partition: number; offset: string }[];

const administrate = async <T>(work: (admin: kafkajs.Admin) => Promise<T>): Promise<T> => {
  const { Kafka, logLevel } = kafkajs;
  const admin = new Kafka({
    clientId: 'e2e',
    brokers: addressBook().kafka.split(','),
    logLevel: logLevel.NOTHING,
  }).admin();
  await admin.connect();
  try {
    return await work(admin);
  } finally {
    await admin.disconnect();
  }
};

/** Where the topic ends now. */
export const endsOf = (topic: string): Promise<Positions> =>
  administrate(async (admin) =>
    (await admin.fetchTopicOffsets(topic)).map(({ partition, high }) => ({ partition, offset: high })),
  );

/** Sets a group back, which must have no members. */
export const setBack = (groupId: string, topic: string, partitions: Positions): Promise<void> =>
  administrate((admin) => admin.setOffsets({ groupId, topic, partitions }));

/** How many members of a group have partitions. */
export const workingMembers = (groupId: string): Promise<number> =>
  administrate(async (admin) => {
    const { groups } = await admin.describeGroups([groupId]);
    const { MemberAssignment } = kafkajs.AssignerProtocol;
    const assignments = groups.flatMap(({ members }) => members.map(({ memberAssignment }) => memberAssignment));
    const partitions = assignments.map((bytes) =>
      Object.values(MemberAssignment.decode(bytes)?.assignment ?? {}).flat(),
    );
    return partitions.filter(({ length }) => length > 0).length;
  });

/** Resolves when the group has committed all that lies in the topic. */
export const caughtUp = (groupId: string, topic: string, withinMs = 120_000): Promise<true> =>
  eventually(
    `${groupId} has read all of ${topic}`,
    () =>
      administrate(async (admin) => {
        const [committed] = await admin.fetchOffsets({ groupId, topics: [topic] });
        const at = new Map(committed?.partitions.map(({ partition, offset }) => [partition, Number(offset)]));
        const ends = await admin.fetchTopicOffsets(topic);
        const lag = ends.reduce(
          (sum, { partition, high }) => sum + Number(high) - Math.max(at.get(partition) ?? 0, 0),
          0,
        );
        if (lag > 0) throw new Error(`${lag} records behind`);
        return true as const;
      }),
    withinMs,
  );
