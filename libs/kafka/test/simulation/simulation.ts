import type { StopService } from '@anabranch/failures';
import type { BrokerRecord } from '../../src/broker-port.js';
import { laneOf } from '../../src/consumer/partition-epoch.js';
import { OutsideLedger, type Violation } from './outside-ledger.js';
import { PartitionLog } from './partition-log.js';
import type { Fault, Outage, PlannedRecord, Schedule } from './schedule.js';
import { SeededRandom } from './seeded-random.js';
import { SimulatedGroup } from './simulated-group.js';
import { SimulatedProcess, type World } from './simulated-process.js';
import { Timeline } from './timeline.js';

/** The place of one process: when it is killed or stopped, the next one starts here, under the same instance id. */
interface Slot {
  readonly index: number;
  process: SimulatedProcess | undefined;
}

/** What a schedule led to. */
export interface SimulationResult {
  readonly violations: readonly Violation[];
  readonly records: number;
  /** Virtual. */
  readonly tookMs: number;
}

const faultsEndAtMs = 21_000;

/** Plays one schedule: first with its faults, then without, until everything is finished, and stops every process. */
export async function simulate(schedule: Schedule): Promise<SimulationResult> {
  const simulation = new Simulation(schedule);
  await simulation.run();
  const { violations } = simulation.ledger;
  return { violations, records: schedule.records.length, tookMs: simulation.timeline.now };
}

class Simulation implements World {
  readonly random: SeededRandom;
  readonly timeline: Timeline;
  readonly group: SimulatedGroup;
  readonly ledger: OutsideLedger;
  readonly logs: readonly PartitionLog[];
  readonly fetchRecords: number;
  readonly maxInFlight: number;
  readonly topicLimit: number;
  readonly maxRecords: number;
  readonly maxBytes: number;
  readonly allUseDependency: boolean;
  private readonly plans = new Map<string, PlannedRecord>();
  private readonly outages = new Map<Outage, number>();
  private readonly slots: Slot[] = [];
  private readonly everyProcess: SimulatedProcess[] = [];
  private hasHealed = false;

  constructor(private readonly schedule: Schedule) {
    ({ fetchRecords: this.fetchRecords, maxInFlight: this.maxInFlight } = schedule);
    this.topicLimit = schedule.topicLimit;
    ({ maxRecords: this.maxRecords, maxBytes: this.maxBytes } = schedule);
    this.allUseDependency = schedule.allUseDependency;
    this.random = new SeededRandom(schedule.seed);
    this.timeline = new Timeline(this.random);
    this.logs = Array.from({ length: schedule.partitions }, (_, partition) => new PartitionLog(partition));
    this.group = new SimulatedGroup({ timeline: this.timeline, random: this.random, partitions: this.logs });
    this.ledger = new OutsideLedger(this.timeline, schedule, (record) => this.planOf(record));
  }

  async run(): Promise<void> {
    for (let index = 0; index < this.schedule.members; index++) this.slots.push({ index, process: undefined });
    for (const slot of this.slots) this.timeline.after(this.random.between(0, 500), () => this.startIn(slot));
    for (const plan of this.schedule.records) this.timeline.after(plan.at, () => this.append(plan));
    for (const fault of this.schedule.faults) this.timeline.after(fault.at, () => this.inflict(fault));
    await this.timeline.run(faultsEndAtMs, () => this.hasFailed);
    if (!this.hasFailed) this.heal();
    const isOver = () => this.hasFailed || this.ledger.isDone(this.logs);
    await this.timeline.run(this.timeline.now + this.patienceMs(), isOver);
    if (!this.hasFailed) this.ledger.close(this.logs);
    if (!this.hasFailed) await this.becomeQuiet();
    if (!this.hasFailed) await this.stopAll();
  }

  /** When nothing is left to do and every member has its place, each says that it is well. */
  private async becomeQuiet(): Promise<void> {
    await this.timeline.run(this.timeline.now + 15_000, () => this.hasFailed);
    for (const { name, isAlive, isStopping, runtime } of this.everyProcess) {
      const { ready, reasons } = runtime.health();
      if (isAlive && !isStopping && !ready) this.ledger.note('the healthy say so', `${name}: ${reasons.join()}`);
    }
  }

  isOut(outage: Outage): boolean {
    const until = this.outages.get(outage) ?? 0;
    return !this.hasHealed && this.timeline.now < until && (!outage.startsWith('commit') || this.random.chance(0.7));
  }

  planOf(record: BrokerRecord): PlannedRecord {
    return this.plans.get(`${laneOf(record)}@${record.offset}`)!;
  }

  onExit({ name }: SimulatedProcess, { message }: StopService): void {
    if (message.startsWith('FENCED')) {
      const slot = this.slots.find(({ process }) => process?.name === name);
      if (slot !== undefined) this.restartLater(slot, 1_000);
    } else this.ledger.note('no process gives up', `${name}: ${message}`);
  }

  private get hasFailed(): boolean {
    return this.ledger.violations.length > 0;
  }

  /** Everything may have to be done again by another owner, one after the other, with its retries. */
  private patienceMs(): number {
    return 120_000 + 6 * this.schedule.records.reduce((total, { durationMs }) => total + durationMs + 1_000, 0);
  }

  private append(plan: PlannedRecord): void {
    const log = this.logs[plan.partition % this.logs.length]!;
    log.skip(plan.gapBefore);
    this.plans.set(`${log.lane}@${log.end}`, plan);
    const value = Buffer.from(plan.behaviour);
    log.append({ key: Buffer.from(`key-${plan.key}`), value, timestamp: this.timeline.now });
    log.skip(plan.gapBehind);
    for (const { client, isAlive } of this.everyProcess) if (isAlive) client.poke();
  }

  private startIn(slot: Slot): SimulatedProcess {
    const name = `process-${this.everyProcess.length}`;
    const process = new SimulatedProcess(name, this.schedule.isStatic ? `seat-${slot.index}` : undefined, this);
    slot.process = process;
    this.everyProcess.push(process);
    return process;
  }

  private restartLater(slot: Slot, downMs: number): void {
    this.timeline.after(downMs, () => {
      if (slot.process?.isAlive !== true) this.startIn(slot);
    });
  }

  private inflict(fault: Fault): void {
    switch (fault.kind) {
      case 'rebalance':
        return this.group.rebalance();
      case 'outage':
        return void this.outages.set(fault.of, this.timeline.now + fault.forMs);
      case 'visitor':
        return this.visit(fault.forMs);
      default: {
        const slot = this.slots[fault.member % this.slots.length]!;
        if (slot.process?.isAlive === true) this.strike(slot, slot.process, fault);
      }
    }
  }

  private strike(slot: Slot, process: SimulatedProcess, fault: Extract<Fault, { member: number }>): void {
    switch (fault.kind) {
      case 'kill':
        process.kill();
        return this.restartLater(slot, fault.downMs);
      case 'stop':
        return process.stop(fault, () => this.restartLater(slot, fault.downMs));
      case 'freeze':
        process.freeze();
        return void this.timeline.after(fault.forMs, () => process.thaw());
      case 'second process on a seat':
        if (this.schedule.isStatic) this.startIn(slot);
        return;
      case 'client restarts':
        return this.unlessFrozen(process, () => process.client.restart());
      default:
        return this.unlessFrozen(process, () => process.client.refetch());
    }
  }

  private unlessFrozen({ isFrozen }: SimulatedProcess, act: () => void): void {
    if (!isFrozen) act();
  }

  /** A member that joins for a while. */
  private visit(forMs: number): void {
    const visitor = this.startIn({ index: this.everyProcess.length + 100, process: undefined });
    this.timeline.after(forMs, () => visitor.stop({ deadlineMs: 3_000, isRemoved: true }, () => {}));
  }

  private heal(): void {
    this.hasHealed = true;
    for (const process of this.everyProcess) process.thaw();
    for (const slot of this.slots) if (slot.process?.isAlive !== true) this.startIn(slot);
  }

  private async stopAll(): Promise<void> {
    const left = new Set(this.everyProcess.filter(({ isAlive }) => isAlive));
    for (const process of left) {
      if (process.isStopping) left.delete(process);
      else process.stop({ deadlineMs: 20_000, isIdle: true }, () => void left.delete(process));
    }
    await this.timeline.run(this.timeline.now + 15_000, () => this.hasFailed || left.size === 0);
    for (const { name, isAlive } of left)
      if (isAlive) this.ledger.note('a stop keeps its deadline', `${name} never ended`);
  }
}
