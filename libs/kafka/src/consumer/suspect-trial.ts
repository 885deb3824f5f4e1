import type { BrokerRecord } from '../broker-port.js';
import type { Clock } from '../clock.js';
import { Fifo } from '../fifo.js';
import type { Logger } from '../logger.js';
import { accuse } from './accusation.js';
import type { ConsumerSettings } from './consumer-settings.js';
import { unlaunched, type Launch, type OwnExitNotice } from './launch.js';
import type { PartitionEpoch } from './partition-epoch.js';
import { afterGroup, afterRest, triedBy, untried, type Suspicion } from './suspicion.js';
import { TrialRoom, type RoomMember } from './trial-room.js';

/** What is known about the process. */
export interface TrialConditions {
  readonly launch?: Launch | undefined;
  /** Shared by the consumers of one process; one of its own unless given. */
  readonly trialRoom?: TrialRoom;
}

export interface SuspectTrialOptions extends TrialConditions {
  /** The partitions that are owned at this moment. */
  readonly epochs: Iterable<PartitionEpoch>;
  /** Whether a handler runs, of whatever partition. */
  readonly isRunning: () => boolean;
  /** Hands records on to be decoded and queued. */
  readonly push: (epoch: PartitionEpoch, records: readonly BrokerRecord[]) => void;
  /** Commits what is due; never rejects. */
  readonly commit: () => Promise<void>;
  readonly settings: ConsumerSettings;
  readonly clock: Clock;
  readonly log: Logger;
}

/** What one process can have taken of a partition: its window, and as much that is not in the last commit. */
const suspectsPerWindow = 2;

/**
 * Tries the records that may have ended the process before, and holds back all others meanwhile, undecoded.
 *
 * Invariants: which group is tried, and by which run of the process, is committed before a record of it is decoded, and
 * taken back before anything else is; nothing else of the process runs beside it.
 */
export class SuspectTrial implements RoomMember {
  private readonly launch: Launch;
  private readonly room: TrialRoom;
  private readonly held = new Map<PartitionEpoch, Fifo<BrokerRecord>>();
  /** Until the first partitions are there. */
  private isFirst = true;
  /** Whose group is being tried. */
  private current: PartitionEpoch | undefined;
  private isConducting = false;
  private isStopped = false;
  private wake: () => void = () => {};

  constructor(private readonly options: SuspectTrialOptions) {
    this.launch = options.launch ?? unlaunched;
    this.room = options.trialRoom ?? new TrialRoom();
    this.room.join(this);
  }

  get isIdle(): boolean {
    if (this.options.isRunning()) return false;
    for (const epoch of this.options.epochs) {
      if (epoch.window.size > (this.held.get(epoch)?.size ?? 0)) return false;
    }
    return true;
  }

  /** How many records are suspects. */
  get suspects(): number {
    let count = 0;
    for (const { suspicion, open } of this.options.epochs) {
      if (suspicion !== undefined) count += open.countBelow(suspicion.end);
    }
    return count;
  }

  /** It is known where the partitions go on, and what was suspected there. Comes before any of their records. */
  begin(): void {
    const epochs = [...this.options.epochs];
    const { ownExit } = this.launch;
    if (ownExit !== undefined) this.accuse(epochs, ownExit);
    this.isFirst = false;
    if (!epochs.some(({ suspicion }) => suspicion !== undefined)) return;
    this.room.claim(this);
    this.advance();
    if (!this.isConducting) void this.conduct();
  }

  /** Of the records that have arrived, those that may go on now. */
  admit(epoch: PartitionEpoch, records: readonly BrokerRecord[]): readonly BrokerRecord[] {
    if (this.room.isOpen) return records;
    const held = this.held.get(epoch) ?? new Fifo<BrokerRecord>();
    this.held.set(epoch, held);
    for (const record of records) held.push(record);
    return this.current === epoch ? takeBelow(held, epoch.suspicion?.groupEnd ?? 0) : [];
  }

  /** Something was finished, or passed over. */
  advance(): void {
    this.wake();
  }

  /** The partition is no longer ours. */
  forget(epoch: PartitionEpoch): void {
    this.held.delete(epoch);
    this.advance();
  }

  stop(): void {
    this.isStopped = true;
    this.room.leave(this);
    this.advance();
  }

  onRoomChange(): void {
    this.advance();
    if (!this.room.isOpen || this.isStopped) return;
    for (const [epoch, records] of this.held) {
      this.held.delete(epoch);
      this.options.push(epoch, takeBelow(records, Number.POSITIVE_INFINITY));
    }
  }

  private accuse(epochs: readonly PartitionEpoch[], ownExit: OwnExitNotice): void {
    const { log, settings } = this.options;
    const { isFirst } = this;
    const { reason, ranMs } = ownExit;
    const { maxOwnExits: maxExits, partitionLimits } = settings;
    const maxSuspects = suspectsPerWindow * partitionLimits.maxRecords;
    const isRecordToBlame = accuse(epochs, ownExit, { maxExits, maxSuspects, isFirst });
    const { suspects } = this;
    const fields = { reason, ranMs, suspects };
    if (!isRecordToBlame)
      log.error(fields, 'the process ended by its own fault while it rested: no record is to blame');
    else if (suspects > 0 && isFirst)
      log.error(fields, 'the process had ended by its own fault: what was in flight is tried alone');
  }

  private async conduct(): Promise<void> {
    this.isConducting = true;
    while (!this.isStopped) {
      const epoch = this.next();
      if (epoch === undefined && this.isCarried) break;
      if (epoch === undefined) await this.carry();
      else if (!this.room.isFreeFor(this)) await this.change();
      else await this.hear(epoch);
    }
    this.isConducting = false;
    this.room.release(this);
  }

  /** The partition whose group comes next; one that was begun goes before the others. */
  private next(): PartitionEpoch | undefined {
    const suspected = [...this.options.epochs].filter(({ suspicion }) => suspicion !== undefined);
    return suspected.find(({ suspicion }) => suspicion?.triedBy !== undefined) ?? suspected[0];
  }

  private async hear(epoch: PartitionEpoch): Promise<void> {
    const suspicion = this.mark(epoch);
    if (suspicion === undefined) return;
    if (!this.isCarried) return this.carry();
    this.report(epoch, suspicion);
    if (suspicion.stage === 'rest') await this.rest(epoch, suspicion);
    else await this.try(epoch, suspicion);
  }

  /** That this run tries this group, and nobody tries another one. */
  private mark(chosen: PartitionEpoch): Suspicion | undefined {
    const { run } = this.launch;
    for (const epoch of this.options.epochs) {
      const { suspicion } = epoch;
      if (suspicion === undefined) continue;
      if (epoch !== chosen && suspicion.triedBy !== undefined) epoch.suspicion = untried(suspicion);
      if (epoch === chosen && suspicion.triedBy !== run) epoch.suspicion = triedBy(suspicion, run);
    }
    return chosen.suspicion;
  }

  private async try(epoch: PartitionEpoch, suspicion: Suspicion): Promise<void> {
    this.current = epoch;
    const { groupEnd } = suspicion;
    const held = this.held.get(epoch);
    if (held !== undefined) this.options.push(epoch, takeBelow(held, groupEnd));
    await this.until(() => !epoch.isCurrent || (epoch.window.watermark ?? 0) >= groupEnd);
    this.current = undefined;
    if (epoch.isCurrent && !this.isStopped) epoch.suspicion = afterGroup(suspicion, epoch.open);
  }

  private async rest(epoch: PartitionEpoch, suspicion: Suspicion): Promise<void> {
    const { clock } = this.options;
    const until = clock.now() + suspicion.restMs;
    await this.until(() => !epoch.isCurrent || clock.now() >= until);
    if (epoch.isCurrent && !this.isStopped) epoch.suspicion = afterRest(suspicion);
  }

  private report({ topic, partition, window, open }: PartitionEpoch, { groupEnd, stage, exits }: Suspicion): void {
    const fields = { topic, partition, offset: window.watermark, records: open.countBelow(groupEnd), exits };
    const { log } = this.options;
    if (stage === 'try') log.info(fields, 'a group of suspects is tried');
    else if (stage === 'rest') log.info(fields, 'the process rests: it may end by itself also without a record');
    else log.error(fields, 'the record has ended its process too often: it becomes a dead letter');
  }

  private get isCarried(): boolean {
    return [...this.options.epochs].every(({ isSuspicionCarried }) => isSuspicionCarried);
  }

  private async carry(): Promise<void> {
    await this.options.commit();
    if (!this.isCarried) await this.change();
  }

  private async until(isMet: () => boolean): Promise<void> {
    while (!isMet() && !this.isStopped) await this.change();
  }

  /** Resolves when something has happened, or a while has passed. */
  private async change(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.wake = resolve;
    const cancel = this.options.clock.after(this.options.settings.commitIntervalMs, resolve);
    await promise;
    cancel();
  }
}

function takeBelow(records: Fifo<BrokerRecord>, offset: number): BrokerRecord[] {
  const taken: BrokerRecord[] = [];
  for (let record = records.peek(); record !== undefined && record.offset < offset; record = records.peek()) {
    taken.push(record);
    records.shift();
  }
  return taken;
}
