import { StopService } from '@anabranch/failures';
import { setMaxListeners } from 'node:events';
import type { BrokerBatch, BrokerRecord, StartPosition, TopicPartition } from '../broker-port.js';
import { decodeSuspicion, encodeMetadata } from './commit-metadata.js';
import { decodeStretches } from './finished-stretches.js';
import { OffsetWindow } from './offset-window.js';
import { OpenOffsets } from './open-offsets.js';
import { withinLog, type Suspicion } from './suspicion.js';

/** How much of one partition may be unfinished before its fetching pauses; it resumes at half of it. */
export interface PartitionLimits {
  readonly maxRecords: number;
  readonly maxBytes: number;
}

/** What a commit says about a partition. */
export interface Progress {
  readonly offset: number;
  /** The finished stretches above the offset, and the suspicion; empty when there are none. */
  readonly metadata: string;
  readonly suspicion: Suspicion | undefined;
  /** The window's count at this moment. */
  readonly finishedCount: number;
  /** How often the partition had been restored by then. */
  readonly restores: number;
}

/** The distance from the oldest unfinished record to the newest taken one at which fetching pauses, whatever the limits. */
const maxSpan = 1_000_000;

/**
 * One partition, from its assignment to its loss.
 *
 * Invariant: what began in an epoch counts only while the epoch is current. A partition that was lost and came back is
 * another epoch: a handler of the old one changes nothing when it ends.
 */
export class PartitionEpoch implements TopicPartition {
  readonly topic: string;
  readonly partition: number;
  /** Its name in this process, for maps and turns. */
  readonly lane: string;
  readonly window = new OffsetWindow();
  /** The position that the group would go on from, as the broker last said it; or the first record that came. */
  committed: number | undefined;
  /** The offset that the partition's next record will get, as the last fetch saw it. */
  endOffset: number | undefined;
  /** Finished records above the watermark that the last commit had no room for: they come again after a crash. */
  uncarried = 0;
  /** Which records may have ended their process, if any. */
  suspicion: Suspicion | undefined;
  private carriedSuspicion: Suspicion | undefined;
  private carriedCount = 0;
  private isRestored = false;
  private restores = 0;
  /** Whether a commit of ours may have replaced what the broker said, or been replaced by it: the next one settles it. */
  private isInDoubt = false;
  private readonly abort = new AbortController();
  private bytes = 0;
  private full = false;
  private current = true;

  constructor(
    { topic, partition }: TopicPartition,
    private readonly limits: PartitionLimits,
  ) {
    this.topic = topic;
    this.partition = partition;
    this.lane = laneOf(this);
    // One listener per record in flight is what it is for, not the leak that Node warns of.
    setMaxListeners(0, this.abort.signal);
  }

  /** Aborted when the partition is lost or the process gives up waiting for its handlers. */
  get signal(): AbortSignal {
    return this.abort.signal;
  }

  /** Whether results of this epoch still count. */
  get isCurrent(): boolean {
    return this.current;
  }

  /**
   * Goes on where the group is. Later calls, for a partition that is kept, only say what the broker has.
   * @throws StopService when the log ends before what is known of it: later records would be taken for those
   */
  restore({ offset, committed, metadata, endOffset }: StartPosition): void {
    this.restores++;
    this.isInDoubt = this.isRestored;
    // A late commit of an earlier owner may have set it back; then the next commit puts it right.
    this.committed = committed ?? this.committed ?? offset;
    this.endOffset = Math.max(this.endOffset ?? 0, endOffset);
    if (this.isRestored) this.window.passOver(offset - 1);
    else this.restoreFrom(offset, metadata, endOffset);
    this.isRestored = true;
    const { knownEnd } = this.window;
    if (knownEnd <= endOffset) return;
    throw new StopService(
      `Records of ${this.lane} were known up to offset ${knownEnd - 1}, but the log ends at ${endOffset}: it was cut, or made anew. Set the group’s offset to where it shall go on.`,
    );
  }

  private restoreFrom(offset: number, metadata: string | undefined, endOffset: number): void {
    this.window.restore(offset, decodeStretches(offset, metadata));
    this.carriedSuspicion = decodeSuspicion(offset, metadata);
    this.suspicion = this.carriedSuspicion && withinLog(this.carriedSuspicion, this.open, endOffset);
  }

  /** Takes a batch; returns its records without those that were taken, or finished, before. */
  take(batch: BrokerBatch): BrokerRecord[] {
    const fresh = batch.records.filter(({ offset }) => this.window.take(offset));
    for (const record of fresh) this.bytes += bytesOf(record);
    this.committed ??= fresh[0]?.offset;
    this.isRestored = true;
    this.window.passOver(batch.lastOffset);
    this.endOffset = batch.endOffset;
    return fresh;
  }

  finish(record: BrokerRecord): void {
    this.window.finish(record.offset);
    this.bytes -= bytesOf(record);
  }

  /** The position to commit, when there is more to say than the broker knows. */
  get due(): number | undefined {
    const { watermark } = this.window;
    const committed = this.committed ?? -1;
    if (watermark === undefined || watermark < committed) return undefined;
    const hasMoreToSay = this.isInDoubt || this.hasFinishedAbove || this.suspicion !== this.carriedSuspicion;
    return watermark > committed || hasMoreToSay ? watermark : undefined;
  }

  /** Whether nothing is left to say about suspects: the broker knows, or is ahead of what could be said. */
  get isSuspicionCarried(): boolean {
    return this.suspicion === this.carriedSuspicion || (this.window.watermark ?? 0) < (this.committed ?? 0);
  }

  /** What is not finished, as far as it is known. */
  get open(): OpenOffsets {
    return new OpenOffsets(this.window.watermark ?? 0, this.window.finishedStretches());
  }

  /** What to commit now. */
  progress(offset: number): Progress {
    const { suspicion, window } = this;
    const { text, dropped } = encodeMetadata(offset, { finished: window.finishedStretches(), suspicion });
    this.uncarried = dropped;
    return { offset, metadata: text, suspicion, finishedCount: window.finishedCount, restores: this.restores };
  }

  /** The broker has it. */
  acknowledge({ offset, finishedCount, suspicion, restores }: Progress): void {
    this.isInDoubt = restores < this.restores;
    // What a stranger has set meanwhile is not taken back: nothing is committed until the records below it are finished.
    this.committed = Math.max(offset, this.committed ?? offset);
    this.carriedSuspicion = suspicion;
    this.carriedCount = finishedCount;
  }

  private get hasFinishedAbove(): boolean {
    if (this.window.finishedCount === this.carriedCount) return false;
    const [stretch] = this.window.finishedStretches();
    return stretch !== undefined;
  }

  /** How far the group is behind the end of the partition: a lower bound while fetching is paused. */
  get lag(): number {
    return Math.max(0, (this.endOffset ?? 0) - (this.window.watermark ?? this.endOffset ?? 0));
  }

  /** Whether no more should be fetched for now. Changes back at half the limit, so that it does not flutter. */
  get isFull(): boolean {
    const { maxRecords, maxBytes } = this.limits;
    const share = Math.max(this.window.size / maxRecords, this.bytes / maxBytes, this.spanShare);
    this.full = this.full ? share > 0.5 : share >= 1;
    return this.full;
  }

  private get spanShare(): number {
    // Up to the half nothing depends on it.
    return this.window.isWiderThan(maxSpan / 2) ? this.window.span / maxSpan : 0;
  }

  /** What {@link isFull} said last. A partition that was not full does not become so when a record is finished. */
  get wasFull(): boolean {
    return this.full;
  }

  /** Asks the handlers to end; what they have finished still counts. */
  interrupt(reason: string): void {
    this.abort.abort(new Error(reason));
  }

  /** The partition is no longer ours. */
  end(): void {
    this.current = false;
    this.interrupt(`partition ${this.lane} was lost`);
  }
}

/** The name of a partition in this process, for maps and turns. */
export function laneOf({ topic, partition }: TopicPartition): string {
  return `${topic}/${partition}`;
}

function bytesOf({ key, value, headers }: BrokerRecord): number {
  let bytes = (key?.length ?? 0) + (value?.length ?? 0);
  for (const [name, content] of headers) bytes += name.length + (content?.length ?? 0);
  return bytes;
}
