import { partitionOf } from '@anabranch/contracts';
import type { CommittedOffset, EndOffset } from '@anabranch/kafka';

/** How far the topics of results went at some moment, by partition: the end offsets of all of them. */
export type Ends = ReadonlyMap<number, readonly EndOffset[]>;

/** Groups the end offsets of topics that have the same number of partitions. */
export function endsByPartition(offsets: readonly EndOffset[]): Ends {
  return Map.groupBy(offsets, ({ partition }) => partition);
}

/**
 * Whether a group has handled all that lay in these partitions when their ends were asked. An outcome is in the partition
 * of its document, so then none of the document's outcomes that was there waits to be read.
 */
export function isConsumed(ends: readonly EndOffset[], committed: readonly CommittedOffset[]): boolean {
  return ends.every(({ topic, partition, low, high }) => {
    const position = committed.find((one) => one.topic === topic && one.partition === partition)?.offset ?? low;
    return position >= high;
  });
}

/** The ends in a document's partition. */
export function endsOf(ends: Ends, documentId: string): readonly EndOffset[] {
  return ends.get(partitionOf(documentId, ends.size)) ?? [];
}
