import type { StopService } from '@anabranch/failures';
import type { PartitionLog } from './broker/partition-log.js';
import type { World } from './process/world.js';

/** What the operator has in hand. */
export interface Plant {
  readonly world: World;
  endAll(): void;
  startAll(): void;
}

const looksEveryMs = 1_000;

/**
 * Who is called when processes stop because their offsets are outside of the log: ends the others, sets the offsets when
 * the group is empty, and starts all again. Until a member goes on in a log that was cut nothing is appended to it.
 */
export class Operator {
  isAtWork = false;
  /** The logs that were cut, and where. */
  private readonly cuts = new Map<PartitionLog, number>();

  constructor(private readonly plant: Plant) {}

  /**
   * Whether a process was right to stop with this error, which says that an offset is outside of the log. It may have read
   * where the log ends before that grew again.
   */
  isRightly({ message }: StopService): boolean {
    const { world } = this.plant;
    const said = /offset (\d+) of (\S+), but the log (begins|ends) at (\d+)/.exec(message);
    if (said !== null) {
      const [, offset, lane, edge, at] = said;
      const log = world.logs.find((candidate) => candidate.lane === lane);
      if (log === undefined) return false;
      if (edge === 'ends') return Number(offset) > Number(at) && log.mayHaveEndedAt(Number(at));
      return Number(offset) < log.start && world.whenExpired === 'stop';
    }
    const known = /Records of (\S+) were known up to offset (\d+), but the log ends at (\d+)/.exec(message);
    const log = world.logs.find(({ lane }) => lane === known?.[1]);
    return Number(known?.[2]) >= Number(known?.[3]) && log?.mayHaveEndedAt(Number(known?.[3])) === true;
  }

  /** Whether nothing can be appended for now. */
  isClosed(log: PartitionLog): boolean {
    return this.cuts.has(log);
  }

  onCut(log: PartitionLog, { endsProcesses }: { endsProcesses: boolean }): void {
    this.cuts.set(log, log.end);
    if (endsProcesses) this.repairAfter(() => {});
  }

  /** A member goes on in a log: if that was cut, it must not know of anything that is no longer there. */
  onStart(log: PartitionLog): void {
    if (!this.cuts.delete(log)) return;
    const { world } = this.plant;
    const { offset, conveyed } = world.offsets.get(log.lane);
    const known = Math.max(offset, ...[...conveyed.certain].map((finished) => finished + 1));
    // What was committed below the log's beginning says nothing about what is there now.
    if (known <= log.end || offset < log.start) return;
    world.ledger.note('no offset is passed over in silence', `${log.lane} goes on; ${known} was known of ${log.end}`);
  }

  repair(): void {
    this.repairAfter(() => {
      for (const log of this.plant.world.logs) this.setOffset(log);
    });
  }

  private repairAfter(work: () => void): void {
    if (this.isAtWork) return;
    this.isAtWork = true;
    this.plant.endAll();
    this.whenGroupIsEmpty(() => {
      work();
      this.isAtWork = false;
      this.plant.startAll();
    });
  }

  private whenGroupIsEmpty(work: () => void): void {
    const { group, timeline } = this.plant.world;
    timeline.after(looksEveryMs, () => {
      if (group.isEmpty) work();
      else this.whenGroupIsEmpty(work);
    });
  }

  private setOffset(log: PartitionLog): void {
    const { offsets, ledger } = this.plant.world;
    const cutAt = this.cuts.get(log);
    const { offset } = offsets.get(log.lane);
    if (cutAt === undefined && log.has(offset)) return;
    // With what was said about records above it gone, too.
    ledger.commits.setByHand(log, Math.max(log.start, Math.min(offset, cutAt ?? log.end)));
  }
}
