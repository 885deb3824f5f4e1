// What of a document's partition has been read: the part of the answer that only the broker knows.
import { analysisTopic, partitionOf, requestTopic } from '@anabranch/contracts';
import type { KafkaAdmin } from '@anabranch/kafka';

/** A run that has no outcome. */
export interface AwaitedRun {
  analysis: string;
  documentId: string;
  /** Whether it was asked for by a command, not by `document.ingested`. */
  isCommanded: boolean;
}

/** How far readers are in the partition of the document. */
export interface Consumption {
  /** The topic that asked for the run. */
  topic: string;
  /** Processes of the analysis that are members of its group. */
  members: number;
  /** Records that the analysis has not finished: at most so many go before the run. */
  unfinished: number;
  /** Outcomes of the analysis that nobody has read yet. */
  unread: number;
}

/** Null when the broker does not answer in time. */
export type ReadConsumption = (run: AwaitedRun) => Promise<Consumption | null>;

type Broker = Pick<KafkaAdmin, 'committedOffsets' | 'endOffsets' | 'groupMembers'>;

/** The group that reads outcomes; every service is a group of its own name. */
const outcomesGroup = 'anabranch.collection';

/** Whoever asks why waits for the answer: a broker that is down must not hold it up. */
const patienceMs = 3_000;

/** Asks the broker anew each time. */
export function createConsumption(broker: Broker, waitMs: number = patienceMs): ReadConsumption {
  return async ({ analysis, documentId, isCommanded }) => {
    const topic = isCommanded ? requestTopic(analysis) : 'document.ingested';
    const group = `anabranch.${analysis}`;
    const read = Promise.all([
      broker.groupMembers(group),
      behind(broker, { group, topic, documentId }),
      behind(broker, { group: outcomesGroup, topic: analysisTopic(analysis), documentId }),
    ]).then(([members, unfinished, unread]): Consumption => ({ topic, members, unfinished, unread }));
    return withinTime(read, waitMs);
  };
}

async function withinTime<T>(read: Promise<T>, waitMs: number): Promise<T | null> {
  const { promise: tooLong, resolve } = Promise.withResolvers<null>();
  const timer = setTimeout(() => resolve(null), waitMs);
  // Whatever the broker's failure is: the rest of the answer is true without it.
  const known = read.catch(() => null);
  return Promise.race([known, tooLong]).finally(() => clearTimeout(timer));
}

interface Reading {
  group: string;
  topic: string;
  documentId: string;
}

/** Records of the document's partition that the group has not finished. */
async function behind(broker: Broker, { group, topic, documentId }: Reading): Promise<number> {
  const [ends, committed] = await Promise.all([broker.endOffsets(topic), broker.committedOffsets(group, [topic])]);
  const partition = partitionOf(documentId, ends.length);
  const end = ends.find((one) => one.partition === partition);
  const position = committed.find((one) => one.partition === partition)?.offset ?? end?.low ?? 0;
  return Math.max(0, (end?.high ?? 0) - position);
}
