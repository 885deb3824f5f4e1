import { setTimeout as delay } from 'node:timers/promises';
import type { ConsumerSettings, KafkaConfig } from '../../src/index.js';
import { MemberProcess } from '../harness/member-process.js';
import type { Breach, Owner } from '../harness/owner-audit.js';
import type { Fault, Schedule } from './schedule.js';

const retry = { maxAttempts: 3, maxBugAttempts: 2, maxAgeMs: 60_000, firstWaitMs: 20, maxWaitMs: 100 };
const drainMs = 3_000;
/** A process needs half a second of a processor to start, for which it may have to wait. */
const startWithinMs = 60_000;

/** The processes of one group, and what is done to them. */
export class GroupRun {
  /** What went wrong with a process itself. */
  readonly breaches: Breach[] = [];
  readonly counts = { processes: 0, faults: 0 };
  private readonly everybody: { name: string; member: MemberProcess }[] = [];
  private readonly seats: Seat[];

  constructor(
    private readonly config: KafkaConfig,
    readonly group: string,
    private readonly schedule: Schedule,
  ) {
    this.seats = Array.from({ length: schedule.members }, (_, index) => new Seat(this, `seat-${index}`));
  }

  get owners(): Owner[] {
    return this.everybody.map(({ name, member }) => ({ name, lines: member.child.lines }));
  }

  /** Resolves when all members have joined. */
  async begin(): Promise<void> {
    for (const seat of this.seats) seat.enter();
    await Promise.all(this.everybody.map(({ member }) => member.child.message('joined', startWithinMs)));
  }

  /** Plays the faults; resolves when the last one is over and every seat is taken. */
  async play(startedAt: number): Promise<void> {
    const faults = [...this.schedule.faults].sort((a, b) => a.atMs - b.atMs);
    await Promise.all(
      faults.map(async (fault, index) => {
        await delay(Math.max(0, startedAt + fault.atMs - Date.now()));
        const seat =
          fault.kind === 'join' ? new Seat(this, `visitor-${index}`) : this.seats[fault.seat % this.seats.length];
        await seat?.suffer(fault);
        this.counts.faults++;
      }),
    );
    await Promise.all(this.seats.map((seat) => seat.whenQuiet()));
  }

  /** All members leave in order. */
  async end(): Promise<void> {
    await Promise.all(this.seats.map((seat) => seat.leave()));
  }

  /** Whatever still runs, whatever went wrong. */
  async kill(): Promise<void> {
    await Promise.all(this.everybody.map(({ member }) => member.end('SIGKILL')));
  }

  start(seat: string): MemberProcess {
    const { isStatic, maxInFlight, maxRecords, sessionTimeoutMs } = this.schedule;
    const settings: Partial<ConsumerSettings> = {
      retry,
      maxInFlight,
      partitionLimits: { maxRecords: Math.max(maxRecords, maxInFlight), maxBytes: 1_000_000 },
      commitIntervalMs: 100,
      sessionTimeoutMs,
      heartbeatIntervalMs: 300,
      ...(isStatic && { instanceId: seat }),
    };
    const member = MemberProcess.start({ config: this.config, group: this.group, settings, drainMs, defers: true });
    this.everybody.push({ name: `${seat}.${this.everybody.length}`, member });
    this.counts.processes++;
    return member;
  }

  note(promise: string, member: MemberProcess, what: string): void {
    const name = this.everybody.find((known) => known.member === member)?.name ?? '';
    const said = member.child.stderr.slice(-500);
    this.breaches.push({ promise, what: `${name} ${what} ${said}` });
  }

  get isStatic(): boolean {
    return this.schedule.isStatic;
  }
}

/** One place in the group. What happens to it happens one after the other. */
class Seat {
  private member: MemberProcess | undefined;
  private last: Promise<void> = Promise.resolve();

  constructor(
    private readonly run: GroupRun,
    private readonly name: string,
  ) {}

  enter(): void {
    this.member = this.run.start(this.name);
  }

  suffer(fault: Fault): Promise<void> {
    this.last = this.last.then(() => this.play(fault));
    return this.last;
  }

  whenQuiet(): Promise<void> {
    return this.last;
  }

  /** Stops it in order, which has to succeed. */
  async leave(): Promise<void> {
    if (this.member !== undefined) await this.stop(this.member);
  }

  private async stop(member: MemberProcess): Promise<void> {
    await member.child.message('starting', startWithinMs);
    member.child.kill('SIGTERM');
    const { code, signal } = await member.child.exit;
    if (code !== 0) this.run.note('who is told to stop stops in order', member, `ended with ${code ?? signal}`);
  }

  private async play({ kind, forMs }: Fault): Promise<void> {
    const { member } = this;
    if (kind === 'join') {
      this.enter();
      await delay(forMs);
      return this.leave();
    }
    if (member === undefined) return;
    if (kind === 'leave') await this.leave();
    if (kind === 'kill') await member.end('SIGKILL');
    if (kind === 'leave' || kind === 'kill') {
      await delay(forMs);
      return this.enter();
    }
    member.child.kill('SIGSTOP');
    if (kind === 'replace') this.enter();
    await delay(forMs);
    member.child.kill('SIGCONT');
    if (kind === 'replace') await this.giveUp(member);
  }

  /** Of two processes in one place one has to go: of static members by itself, since the broker gives the seat to one. */
  private async giveUp(older: MemberProcess): Promise<void> {
    if (!this.run.isStatic) return this.stop(older);
    const newer = this.member as MemberProcess;
    const gone = await Promise.race([older, newer].map((member) => member.child.exit.then(() => member)));
    const { code, signal } = await gone.child.exit;
    if (code !== 1 || !String(gone.lines('fatal')[0]?.['reason']).includes(this.name)) {
      this.run.note('who loses its seat says so', gone, `ended with ${code ?? signal}`);
    }
    this.member = gone === older ? newer : older;
  }
}
