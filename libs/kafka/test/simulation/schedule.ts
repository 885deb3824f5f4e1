import fc from 'fast-check';
import type { Priority } from '../../src/consumer/turns.js';

/** What a handler does with a record, and how often it fails before it succeeds. */
export const behaviours = [
  'succeeds',
  'asks for a later try once',
  'asks for later tries always',
  'asks for a far later try',
  'has a bug once',
  'has a bug always',
  'is poison',
  'is refused',
] as const;
/** Besides these a record may end its process, by a fault of that process. */
export type Behaviour = (typeof behaviours)[number] | Deadly;
export const deadly = ['ends its process', 'ends its process when it is read'] as const;
export type Deadly = (typeof deadly)[number];

/** How a record's bytes can be read: at once, after its schema was fetched, or never. */
export const encodings = ['known', 'new', 'newer', 'unknown', 'garbage'] as const;

export interface PlannedRecord {
  /** Virtual milliseconds. */
  readonly at: number;
  /** Modulo the number of partitions. */
  readonly partition: number;
  readonly key: number;
  readonly priority: Priority;
  readonly behaviour: Behaviour;
  readonly encoding: (typeof encodings)[number];
  readonly durationMs: number;
  /** Ends soon when its signal is aborted; else it goes on to its end. */
  readonly heedsSignal: boolean;
  /** Waits for somebody else, without a slot, before it begins. */
  readonly parks: boolean;
  /** Calls the shared dependency, which may be down. */
  readonly usesDependency: boolean;
  /** So many offsets that nobody sees lie before it, as after compaction. */
  readonly gapBefore: number;
  /** And so many behind it, as with markers of transactions. */
  readonly gapBehind: number;
}

/** `member` is taken modulo the number of members; what cannot happen to one in its state does not. */
export type Fault = { readonly at: number } & (
  | { readonly kind: 'kill'; readonly member: number; readonly downMs: number }
  | { readonly kind: 'stop'; readonly member: number; readonly downMs: number; readonly deadlineMs: number }
  | { readonly kind: 'freeze'; readonly member: number; readonly forMs: number }
  | { readonly kind: 'visitor'; readonly forMs: number }
  | { readonly kind: 'second process on a seat'; readonly member: number }
  | { readonly kind: 'replaced while frozen'; readonly member: number; readonly forMs: number }
  | { readonly kind: 'client restarts'; readonly member: number }
  | { readonly kind: 'fetches again'; readonly member: number }
  | { readonly kind: 'rebalance' }
  | { readonly kind: 'partition is added' }
  /** Somebody who is no member sets the group's offset, back or forward. */
  | { readonly kind: 'foreign commit'; readonly partition: number; readonly share: number }
  /** The log begins later. */
  | { readonly kind: 'retention'; readonly partition: number; readonly share: number }
  /** The log ends earlier, in an accident that may end all processes, too. */
  | { readonly kind: 'log is cut'; readonly partition: number; readonly share: number; readonly endsProcesses: boolean }
  | { readonly kind: 'outage'; readonly of: Outage; readonly forMs: number }
);

/** What can be down for a while, for everybody. */
export const outages = [
  'commit requests',
  'commit responses',
  'dependency',
  'registry',
  'slow registry',
  'dead letters',
  'outcomes',
  'deferrals',
] as const;
export type Outage = (typeof outages)[number];

/** All that a simulation depends on. */
export interface Schedule {
  /** Of the delays and choices that are not planned. */
  readonly seed: number;
  readonly members: number;
  /** Static members keep their seat over a restart, and do not leave. */
  readonly isStatic: boolean;
  readonly partitions: number;
  readonly maxInFlight: number;
  readonly topics: number;
  /** Of each topic; without effect unless it is below `maxInFlight`. */
  readonly topicLimit: number;
  readonly maxRecords: number;
  readonly maxBytes: number;
  readonly fetchRecords: number;
  /** So many records are handled at once; one by one when 0. */
  readonly batchSize: number;
  /** How long the start of a try keeps the event loop. */
  readonly startMs: number;
  /** How long a record is tried. */
  readonly maxAgeMs: number;
  /** Whether somebody keeps what has to wait for long. */
  readonly canDefer: boolean;
  readonly whenExpired: 'stop' | 'continue';
  /** Whether all records call the shared dependency, so that many meet its outage at once. */
  readonly allUseDependency: boolean;
  readonly records: readonly PlannedRecord[];
  /** What some of the records do instead, by their number. */
  readonly killers: readonly { readonly record: number; readonly behaviour: Deadly }[];
  readonly faults: readonly Fault[];
}

/** Their names; the partitions are dealt out to them in turn. */
export function topicsOf({ topics }: Pick<Schedule, 'topics'>): string[] {
  return Array.from({ length: topics }, (_, index) => `topic-${index}`);
}

const spanMs = 20_000;
const at = fc.integer({ min: 0, max: spanMs });
/** When much has happened, and not much will. */
const late = fc.integer({ min: spanMs / 2, max: spanMs });
const member = fc.nat(3);
const partition = fc.nat(5);
const share = fc.constantFrom(0, 0.3, 0.7, 1);
const downMs = fc.constantFrom(50, 2_000, 9_000);

const record: fc.Arbitrary<PlannedRecord> = fc.record({
  at,
  partition,
  key: fc.nat(4),
  priority: fc.constantFrom<Priority>('HIGH', 'NORMAL', 'LOW'),
  behaviour: fc.oneof(
    { weight: 7, arbitrary: fc.constant<Behaviour>('succeeds') },
    { weight: 4, arbitrary: fc.constantFrom(...behaviours) },
  ),
  encoding: fc.oneof(
    { weight: 6, arbitrary: fc.constant<(typeof encodings)[number]>('known') },
    { weight: 2, arbitrary: fc.constantFrom(...encodings) },
  ),
  durationMs: fc.constantFrom(0, 1, 20, 20, 200, 200, 1_000, 5_000, 15_000),
  heedsSignal: fc.boolean(),
  parks: fc.nat(3).map((number) => number === 3),
  usesDependency: fc.nat(2).map((number) => number === 0),
  gapBefore: fc.constantFrom(0, 0, 0, 0, 1, 5),
  gapBehind: fc.constantFrom(0, 0, 0, 1),
});

const kind = <K extends Fault['kind']>(name: K) => fc.constant(name);

const outage: fc.Arbitrary<Fault> = fc.record({
  at,
  kind: kind('outage'),
  of: fc.constantFrom(...outages),
  forMs: fc.constantFrom(300, 2_000, 8_000),
});

const fault: fc.Arbitrary<Fault> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ at, kind: kind('kill'), member, downMs }) },
  {
    weight: 3,
    arbitrary: fc.record({ at, kind: kind('stop'), member, downMs, deadlineMs: fc.constantFrom(500, 3_000, 30_000) }),
  },
  { weight: 2, arbitrary: fc.record({ at, kind: kind('freeze'), member, forMs: fc.constantFrom(300, 3_000, 12_000) }) },
  { weight: 2, arbitrary: fc.record({ at, kind: kind('visitor'), forMs: fc.constantFrom(500, 4_000, 15_000) }) },
  { weight: 1, arbitrary: fc.record({ at, kind: kind('second process on a seat'), member }) },
  { weight: 2, arbitrary: fc.record({ at, kind: kind('client restarts'), member }) },
  { weight: 1, arbitrary: fc.record({ at, kind: kind('fetches again'), member }) },
  { weight: 3, arbitrary: fc.record({ at, kind: kind('rebalance') }) },
  {
    weight: 2,
    arbitrary: fc.record({ at, kind: kind('replaced while frozen'), member, forMs: fc.constantFrom(3_000, 12_000) }),
  },
  { weight: 1, arbitrary: fc.record({ at, kind: kind('partition is added') }) },
  { weight: 1, arbitrary: fc.record({ at, kind: kind('foreign commit'), partition, share }) },
  { weight: 6, arbitrary: outage },
);

/** Where a log is no more what it was. It often ends with an operator at work, and so hides other things. */
const accident: fc.Arbitrary<Fault> = fc.oneof(
  fc.record({ at: late, kind: kind('retention'), partition, share: fc.constantFrom(0.5, 1, 1) }),
  fc.record({ at: late, kind: kind('log is cut'), partition, share, endsProcesses: fc.boolean() }),
);

const withAccidents = fc
  .tuple(fc.array(accident, { minLength: 1, maxLength: 3 }), fc.array(fault, { maxLength: 8, size: 'max' }))
  .map(([worst, others]) => [...worst, ...others]);

const killer = fc.record({ record: fc.nat(59), behaviour: fc.constantFrom(...deadly) });

/** Every schedule that is simulated. Small ones come as well: most faults of the runtime need little. */
export const schedules: fc.Arbitrary<Schedule> = fc.record({
  seed: fc.noShrink(fc.integer()),
  members: fc.integer({ min: 1, max: 3 }),
  isStatic: fc.boolean(),
  partitions: fc.integer({ min: 1, max: 4 }),
  topics: fc.integer({ min: 1, max: 2 }),
  maxInFlight: fc.integer({ min: 1, max: 6 }),
  topicLimit: fc.constantFrom(1, 3, 1_000, 1_000),
  maxRecords: fc.integer({ min: 2, max: 8 }),
  maxBytes: fc.constantFrom(100, 1_000_000),
  fetchRecords: fc.integer({ min: 1, max: 6 }),
  batchSize: fc.constantFrom(0, 0, 0, 1, 3, 10),
  startMs: fc.constantFrom(0, 0, 0, 4, 12),
  maxAgeMs: fc.constantFrom(1_000, 3_000, 3_600_000, 3_600_000),
  canDefer: fc.nat(3).map((number) => number > 0),
  whenExpired: fc.constantFrom('stop', 'continue', 'continue'),
  allUseDependency: fc.nat(3).map((number) => number === 3),
  records: fc.array(record, { minLength: 1, maxLength: 60, size: 'max' }),
  killers: fc.oneof(
    { weight: 5, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(killer, { minLength: 1, maxLength: 2 }) },
  ),
  // A rebalance hides what was forgotten before it, so that some schedules have none.
  faults: fc.oneof(
    { weight: 6, arbitrary: fc.array(fault, { maxLength: 10, size: 'max' }) },
    { weight: 2, arbitrary: withAccidents },
    { weight: 2, arbitrary: fc.array(outage, { maxLength: 6, size: 'max' }) },
  ),
});
