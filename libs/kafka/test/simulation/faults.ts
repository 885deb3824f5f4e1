import type { PartitionLog } from './broker/partition-log.js';
import type { SimulatedProcess } from './process/simulated-process.js';
import type { Fault, Outage } from './schedule.js';

/** The place of one process: when it is killed or stopped, the next one starts here, under the same instance id. */
export interface Slot {
  readonly index: number;
  process: SimulatedProcess | undefined;
}

/** What faults happen to. */
export interface Exposed {
  readonly slots: readonly Slot[];
  readonly logs: readonly PartitionLog[];
  readonly isStatic: boolean;
  rebalance(): void;
  begin(outage: Outage, forMs: number): void;
  startIn(slot: Slot): void;
  restartLater(slot: Slot, downMs: number): void;
  after(ms: number, work: () => void): void;
  visit(forMs: number): void;
  addPartition(): void;
  commitByHand(log: PartitionLog, offset: number): void;
  expire(log: PartitionLog, offset: number): void;
  cut(log: PartitionLog, offset: number, options: { endsProcesses: boolean }): void;
}

/** Lets a fault happen; what cannot happen to something in its state does not. */
export function inflict(fault: Fault, exposed: Exposed): void {
  switch (fault.kind) {
    case 'rebalance':
      return exposed.rebalance();
    case 'outage':
      return exposed.begin(fault.of, fault.forMs);
    case 'visitor':
      return exposed.visit(fault.forMs);
    case 'partition is added':
      return exposed.addPartition();
    case 'foreign commit':
    case 'retention':
    case 'log is cut':
      return harm(fault, exposed);
    default: {
      const slot = exposed.slots[fault.member % exposed.slots.length]!;
      if (slot.process?.isAlive === true) strike(fault, { slot, process: slot.process, exposed });
    }
  }
}

function harm(fault: Extract<Fault, { share: number }>, exposed: Exposed): void {
  const log = exposed.logs[fault.partition % exposed.logs.length]!;
  const offset = log.offsetAt(fault.share);
  if (fault.kind === 'foreign commit') return exposed.commitByHand(log, offset);
  if (fault.kind === 'retention') return exposed.expire(log, offset);
  if (offset < log.end) exposed.cut(log, offset, fault);
}

interface Struck {
  readonly slot: Slot;
  readonly process: SimulatedProcess;
  readonly exposed: Exposed;
}

function strike(fault: Extract<Fault, { member: number }>, { slot, process, exposed }: Struck): void {
  switch (fault.kind) {
    case 'kill':
      process.kill();
      return exposed.restartLater(slot, fault.downMs);
    case 'stop':
      return process.stop(fault, () => exposed.restartLater(slot, fault.downMs));
    case 'freeze':
      return freeze(process, fault.forMs, exposed);
    case 'replaced while frozen':
      if (!exposed.isStatic) return;
      freeze(process, fault.forMs, exposed);
      return exposed.startIn(slot);
    case 'second process on a seat':
      if (exposed.isStatic) exposed.startIn(slot);
      return;
    case 'client restarts':
      if (!process.isFrozen) process.client.restart();
      return;
    default:
      if (!process.isFrozen) process.client.refetch();
  }
}

function freeze(process: SimulatedProcess, forMs: number, { after }: Exposed): void {
  process.freeze();
  after(forMs, () => process.thaw());
}
