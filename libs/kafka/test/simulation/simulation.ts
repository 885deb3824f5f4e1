import type { StopService } from '@anabranch/failures';
import type { BrokerRecord, TopicPartition } from '../../src/broker-port.js';
import { laneOf } from '../../src/consumer/partition-epoch.js';
import type { OwnExitNotice } from '../../src/consumer/launch.js';
import { GroupOffsets } from './broker/group-offsets.js';
import { PartitionLog } from './broker/partition-log.js';
import { SimulatedGroup } from './broker/simulated-group.js';
import { inflict, type Exposed, type Slot } from './faults.js';
import type { Violation } from './ledger/note.js';
import { OutsideLedger } from './ledger/outside-ledger.js';
import { Operator } from './operator.js';
import { SimulatedProcess } from './process/simulated-process.js';
import type { Exiting, World } from './process/world.js';
import { topicsOf, type Outage, type PlannedRecord, type Schedule } from './schedule.js';
import { SeededRandom } from './seeded-random.js';
import { Timeline } from './timeline.js';

/** What a schedule led to. */
export interface SimulationResult {
  readonly violations: readonly Violation[];
  readonly records: number;
  /** Virtual. */
  readonly tookMs: number;
}

const faultsEndAtMs = 21_000;
const mostPartitions = 6;
const quietMs = 15_000;

/** Plays one schedule: first with its faults, then without, until everything is finished, and stops every process. */
export async function simulate(schedule: Schedule): Promise<SimulationResult> {
  const simulation = new Simulation(schedule);
  await simulation.run();
  const { violations } = simulation.ledger;
  return { violations, records: schedule.records.length, tookMs: simulation.timeline.now };
}

class Simulation implements World, Exposed {
  readonly random: SeededRandom;
  readonly timeline: Timeline;
  readonly group: SimulatedGroup;
  readonly offsets = new GroupOffsets();
  readonly ledger: OutsideLedger;
  readonly logs: PartitionLog[] = [];
  readonly slots: Slot[] = [];
  readonly written = { 'dead letter': new Set<string>(), deferral: new Set<string>() };
  private readonly operator = new Operator({
    world: this,
    endAll: () => this.everyProcess.forEach((process) => process.kill()),
    startAll: () => this.slots.forEach((slot) => this.startIn(slot)),
  });
  /** By the record's value, which whoever reads it has, not by its place: where a log is cut, that is given again. */
  private readonly plans = new WeakMap<Buffer, PlannedRecord>();
  private readonly outages = new Map<Outage, number>();
  private readonly everyProcess: SimulatedProcess[] = [];
  /** When the last process was started, or everything was done. */
  private quietSince = 0;
  private toAppend: number;
  private wasSetByStranger = false;
  private hasHealed = false;

  constructor(readonly schedule: Schedule) {
    this.random = new SeededRandom(schedule.seed);
    this.timeline = new Timeline(this.random);
    this.toAppend = schedule.records.length;
    for (let index = 0; index < schedule.partitions; index++) this.createLog();
    this.group = new SimulatedGroup({ timeline: this.timeline, random: this.random, partitions: this.logs });
    this.ledger = new OutsideLedger({
      offsets: this.offsets,
      clock: this.timeline,
      limits: schedule,
      planOf: (record) => this.planOf(record),
      isWritten: (what, place) => this.written[what].has(place),
    });
  }

  async run(): Promise<void> {
    const { members, records, faults } = this.schedule;
    for (let index = 0; index < members; index++) this.slots.push({ index, process: undefined });
    for (const slot of this.slots) this.after(this.random.between(0, 500), () => this.startIn(slot));
    for (const [number, plan] of records.entries()) this.after(plan.at, () => this.append(this.planned(plan, number)));
    for (const fault of faults) this.after(fault.at, () => inflict(fault, this));
    await this.timeline.run(faultsEndAtMs, () => this.hasFailed);
    if (!this.hasFailed) this.heal();
    const isOver = () => this.hasFailed || (this.toAppend === 0 && this.ledger.isDone(this.logs));
    await this.timeline.run(this.timeline.now + this.patienceMs(), isOver);
    if (!this.hasFailed) this.close();
    if (!this.hasFailed) await this.becomeQuiet();
    if (!this.hasFailed) await this.stopAll();
  }

  readonly after = (ms: number, work: () => void): void => void this.timeline.after(ms, work);

  get isStatic(): boolean {
    return this.schedule.isStatic;
  }

  get fetchRecords(): number {
    return this.schedule.fetchRecords;
  }

  get whenExpired(): Schedule['whenExpired'] {
    return this.schedule.whenExpired;
  }

  logOf(partition: TopicPartition): PartitionLog {
    return this.logs.find(({ lane }) => lane === laneOf(partition))!;
  }

  planOf(record: BrokerRecord): PlannedRecord {
    return this.plans.get(record.value!)!;
  }

  isOut(outage: Outage): boolean {
    const until = this.outages.get(outage) ?? 0;
    return !this.hasHealed && this.timeline.now < until && (!outage.startsWith('commit') || this.random.chance(0.7));
  }

  onStart(log: PartitionLog, process: string): void {
    const starting = this.everyProcess.find(({ name }) => name === process);
    if (starting !== undefined && this.group.isOwner(starting.client, log)) this.operator.onStart(log);
  }

  onExit({ name }: Exiting, error: StopService): void {
    const exiting = this.everyProcess.find((process) => process.name === name)!;
    const slot = this.slots.find(({ process }) => process === exiting);
    if (error.message.startsWith('FENCED')) {
      if (slot !== undefined) this.restartLater(slot, 1_000);
    } else if (this.operator.isRightly(error)) this.operator.repair();
    else this.ledger.note('no process gives up', `${name}: ${error.message}`);
  }

  onOwnExit({ name }: Exiting): void {
    const slot = this.slots.find(({ process }) => process?.name === name);
    const { notice } = this.everyProcess.find((process) => process.name === name)!;
    // A visitor has no launcher that would start it again.
    if (slot !== undefined) this.after(1_000, () => slot.process?.isAlive !== true && this.startIn(slot, notice));
  }

  rebalance(): void {
    this.group.rebalance();
  }

  begin(outage: Outage, forMs: number): void {
    this.outages.set(outage, this.timeline.now + forMs);
  }

  startIn(slot: Slot, ownExit?: OwnExitNotice): void {
    if (!this.operator.isAtWork) slot.process = this.startProcess(slot.index, ownExit);
  }

  restartLater(slot: Slot, downMs: number): void {
    this.after(downMs, () => {
      if (slot.process?.isAlive !== true) this.startIn(slot);
    });
  }

  /** A member that joins for a while. */
  visit(forMs: number): void {
    if (this.operator.isAtWork) return;
    const visitor = this.startProcess(this.everyProcess.length + 100);
    this.after(forMs, () => visitor.stop({ deadlineMs: 3_000, isRemoved: true }, () => {}));
  }

  addPartition(): void {
    if (this.logs.length >= mostPartitions) return;
    this.createLog();
    for (const { client } of this.everyProcess) client.lookForPartitions();
  }

  commitByHand(log: PartitionLog, offset: number): void {
    this.wasSetByStranger = true;
    this.ledger.commits.setByHand(log, offset);
  }

  expire(log: PartitionLog, offset: number): void {
    log.removeBelow(offset);
    this.pokeAll();
  }

  cut(log: PartitionLog, offset: number, { endsProcesses }: { endsProcesses: boolean }): void {
    const isNoticed = this.everyProcess.some(({ isAlive, client }) => isAlive && client.hasReadPast(log, offset));
    for (const record of log.cutAt(offset)) this.ledger.handling.forget(record);
    this.ledger.commits.forget(log.lane, offset);
    this.operator.onCut(log, { endsProcesses: endsProcesses || !isNoticed });
    this.pokeAll();
  }

  /** Whether nobody was started and nothing was tried for so long that every member has its place, and no gate is shut. */
  private get isAtRest(): boolean {
    const since = this.timeline.now - quietMs;
    const tries = this.everyProcess.filter(({ isAlive }) => isAlive).map((process) => process.tries);
    return (
      !this.operator.isAtWork && this.quietSince <= since && tries.every((account) => account.hasRestedSince(since))
    );
  }

  private get hasFailed(): boolean {
    return this.ledger.violations.length > 0;
  }

  /** Everything may have to be done again by another owner, one after the other, with its retries. */
  private patienceMs(): number {
    const { records, batchSize, canDefer, killers } = this.schedule;
    const longWaits = canDefer ? 0 : records.filter(({ behaviour }) => behaviour.includes('far later')).length;
    // A batch is done again in halves.
    const repeats = batchSize === 0 ? 6 : 20;
    const workMs = records.reduce((total, { durationMs }) => total + durationMs + 1_000, 0);
    // Each of their ends costs a session, and the suspects are tried anew.
    return 180_000 + repeats * workMs + longWaits * 300_000 + killers.length * 1_200_000;
  }

  private createLog(): PartitionLog {
    const topics = topicsOf(this.schedule);
    const index = this.logs.length;
    const topic = topics[index % topics.length]!;
    const log = new PartitionLog({ topic, partition: Math.floor(index / topics.length) });
    this.logs.push(log);
    return log;
  }

  private planned(plan: PlannedRecord, number: number): PlannedRecord {
    const killer = this.schedule.killers.find(({ record }) => record === number);
    return killer === undefined ? plan : { ...plan, behaviour: killer.behaviour, encoding: 'known' };
  }

  private append(plan: PlannedRecord): void {
    const log = this.logs[plan.partition % this.logs.length]!;
    if (this.operator.isClosed(log)) return this.after(500, () => this.append(plan));
    log.skip(plan.gapBefore);
    const value = Buffer.from(plan.behaviour);
    this.plans.set(value, plan);
    log.append({ key: Buffer.from(`key-${plan.key}`), value, timestamp: this.timeline.now });
    log.skip(plan.gapBehind);
    this.toAppend--;
    this.pokeAll();
  }

  private pokeAll(): void {
    for (const { client, isAlive } of this.everyProcess) if (isAlive) client.poke();
  }

  private startProcess(seat: number, ownExit?: OwnExitNotice): SimulatedProcess {
    const name = `process-${this.everyProcess.length}`;
    const instanceId = this.isStatic ? `seat-${seat}` : undefined;
    const process = new SimulatedProcess(name, this, { instanceId, ownExit });
    this.everyProcess.push(process);
    this.quietSince = this.timeline.now;
    return process;
  }

  private heal(): void {
    this.hasHealed = true;
    for (const process of this.everyProcess) process.thaw();
    for (const slot of this.slots) if (slot.process?.isAlive !== true) this.startIn(slot);
    // What a stranger has set back is put right with the next assignment, when it is seen.
    if (this.wasSetByStranger) this.group.rebalance();
  }

  private close(): void {
    if (this.toAppend > 0) this.ledger.note('every record finishes', `${this.toAppend} could not be appended`);
    this.ledger.close(this.logs);
  }

  /**
   * When nothing is left to do and every member has its place, each says that it is well. A member whose fetching was paused
   * finds only now that a log was cut, and the operator starts all anew; a handler whose partition was lost may still end
   * its process, and the next one waits for the dead one's session; and what nobody misses is tried while its dependency
   * was not found to be back.
   */
  private async becomeQuiet(): Promise<void> {
    const { timeline } = this;
    this.quietSince = timeline.now;
    await timeline.run(timeline.now + this.patienceMs(), () => this.hasFailed || this.isAtRest);
    if (this.hasFailed) return;
    if (!this.isAtRest) this.ledger.note('the healthy say so', 'it never becomes quiet');
    for (const { name, isAlive, isStopping, runtime, client } of this.everyProcess) {
      const { ready, reasons } = runtime.health();
      if (!isAlive || isStopping) continue;
      if (this.group.hasOusted(client)) this.ledger.note('who lost its seat stops', `${name} runs on`);
      else if (!ready) this.ledger.note('the healthy say so', `${name}: ${reasons.join()}`);
    }
  }

  private async stopAll(): Promise<void> {
    const left = new Set(this.everyProcess.filter(({ isAlive }) => isAlive));
    for (const process of left) {
      if (process.isStopping) left.delete(process);
      else process.stop({ deadlineMs: 20_000 }, () => void left.delete(process));
    }
    await this.timeline.run(this.timeline.now + 25_000, () => this.hasFailed || left.size === 0);
    for (const { name, isAlive } of left)
      if (isAlive) this.ledger.note('a stop keeps its deadline', `${name} never ended`);
  }
}
