import * as fc from 'fast-check';
import type { Plan } from '../fixtures/plan.js';

/** A record that is produced while the group runs. */
export interface ScheduledRecord {
  /** Milliseconds from the start of the schedule. */
  readonly atMs: number;
  readonly key: number;
  readonly plan: Plan;
  /** Bytes that nobody can read. */
  readonly isGarbage: boolean;
}

/** What happens to a member, or by whom the group is visited. */
export interface Fault {
  readonly atMs: number;
  /**
   * `join`: one more member, for a while. `leave`: it stops in order, and comes back. `kill`: `kill -9`, and it comes back.
   * `freeze`: it stands still, and goes on. `replace`: it stands still, and another process takes its place meanwhile.
   */
  readonly kind: 'join' | 'leave' | 'kill' | 'freeze' | 'replace';
  readonly seat: number;
  readonly forMs: number;
}

/** One group, from its start until everything is committed. */
export interface Schedule {
  readonly isStatic: boolean;
  readonly members: number;
  readonly partitions: number;
  readonly maxInFlight: number;
  /** Unfinished records of one partition. */
  readonly maxRecords: number;
  readonly sessionTimeoutMs: number;
  readonly records: readonly ScheduledRecord[];
  readonly faults: readonly Fault[];
}

const spanMs = 3_000;
const atMs = fc.integer({ min: 0, max: spanMs });

const ends: fc.Arbitrary<Plan> = fc.oneof(
  { weight: 8, arbitrary: fc.constant<Plan>({}) },
  {
    weight: 3,
    arbitrary: fc.constantFrom<Plan>({ fails: ['later'] }, { fails: ['later', 'later'] }, { fails: ['bug'] }),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom<Plan>(
      { failsAlways: 'later' },
      { failsAlways: 'bug' },
      { failsAlways: 'poison' },
      { failsAlways: 'refusal' },
      { failsAlways: 'far later' },
    ),
  },
);

/** One record of a schedule. */
export const record: fc.Arbitrary<ScheduledRecord> = fc.record({
  atMs,
  key: fc.nat(6),
  plan: fc
    .tuple(ends, fc.constantFrom(0, 1, 20, 100, 300, 1_000, 2_500), fc.boolean(), fc.nat(4))
    .map(([plan, takesMs, heedsSignal, parks]) => ({ ...plan, takesMs, heedsSignal, parks: parks === 0 })),
  isGarbage: fc.nat(19).map((number) => number === 0),
});

const fault: fc.Arbitrary<Fault> = fc.record({
  atMs,
  kind: fc.constantFrom('join', 'leave', 'kill', 'freeze', 'replace'),
  seat: fc.nat(2),
  // Shorter and longer than a session, with what a rebalance takes.
  forMs: fc.constantFrom(0, 100, 500, 1_000, 2_500),
});

const mostTries = 3;
/** Half of the time in which a schedule has to settle; what is interrupted comes again. */
const longestWorkMs = 30_000;

/** What the handlers of one member take if it has to do everything, in milliseconds: of one key, one after the other. */
function workMsOf({ records, maxInFlight }: Schedule): number {
  const tries = ({ fails, failsAlways }: Plan): number =>
    failsAlways === undefined ? (fails?.length ?? 0) + 1 : mostTries;
  const workMs = (of: readonly ScheduledRecord[]): number =>
    of.reduce((sum, { plan }) => sum + tries(plan) * (plan.takesMs ?? 0), 0);
  const byKey = [...Map.groupBy(records, ({ key }) => key).values()];
  return Math.max(workMs(records) / maxInFlight, ...byKey.map(workMs));
}

const anySchedule: fc.Arbitrary<Schedule> = fc.record({
  isStatic: fc.boolean(),
  members: fc.integer({ min: 1, max: 3 }),
  partitions: fc.integer({ min: 1, max: 4 }),
  maxInFlight: fc.integer({ min: 1, max: 8 }),
  maxRecords: fc.integer({ min: 8, max: 40 }),
  sessionTimeoutMs: fc.constantFrom(1_000, 2_000),
  records: fc.array(record, { minLength: 15, maxLength: 80, size: 'max' }),
  faults: fc.array(fault, { minLength: 1, maxLength: 4, size: 'max' }),
});

/** Every schedule that is played on a real broker; each has a fault, and none more work than there is time for. */
export const schedules = anySchedule.filter((schedule) => workMsOf(schedule) <= longestWorkMs);

/** How a record has to end. */
export type End = 'handled' | 'dead letter' | 'refusal' | 'deferral';

export function endOf({ plan: { failsAlways }, isGarbage }: ScheduledRecord): End {
  if (isGarbage) return 'dead letter';
  if (failsAlways === undefined) return 'handled';
  if (failsAlways === 'refusal') return 'refusal';
  return failsAlways === 'far later' ? 'deferral' : 'dead letter';
}
