import * as fc from 'fast-check';
import { record, type Fault, type Schedule } from '../schedules/schedule.js';
import { SeededRandom } from '../simulation/seeded-random.js';

/** What happens to the broker, or to the topic. */
export type Accident =
  | { readonly kind: 'restart'; readonly atMs: number; readonly downMs: number }
  | { readonly kind: 'more partitions'; readonly atMs: number; readonly partitions: number };

/** A schedule that lasts minutes, and what happens beside it. */
export interface Chaos {
  readonly schedule: Schedule;
  readonly accidents: readonly Accident[];
}

const recordsPerSecond = 12;
const keys = 60;
/** Both processes are dealt with side by side; what takes longer than this delays the next. */
const faultEveryMs = 3_000;
const accidentEveryMs = 25_000;
const kinds: readonly Fault['kind'][] = ['kill', 'kill', 'freeze', 'freeze', 'leave', 'replace', 'join'];

/** What is played for this seed: two processes in one group, under load. */
export function chaosOf(seed: number, minutes: number): Chaos {
  const random = new SeededRandom(seed);
  const spanMs = minutes * 60_000;
  const sessionTimeoutMs = 2_000;
  const records = fc
    .sample(record, { seed, numRuns: Math.ceil((spanMs / 1_000) * recordsPerSecond) })
    .map((each) => ({ ...each, key: random.integer(1, keys), atMs: random.integer(0, spanMs) }));
  const faults = Array.from({ length: Math.ceil(spanMs / faultEveryMs) }, (): Fault => {
    const [kind = 'kill'] = random.shuffle(kinds);
    // Shorter than a session, or well beyond it.
    const forMs = random.chance(0.5) ? random.integer(0, 1_000) : random.integer(1, 3) * sessionTimeoutMs;
    return { atMs: random.integer(0, spanMs), kind, seat: random.integer(0, 1), forMs };
  });
  const partitions = random.integer(2, 4);
  const schedule: Schedule = {
    isStatic: random.chance(0.5),
    members: 2,
    partitions,
    maxInFlight: random.integer(4, 24),
    maxRecords: random.integer(24, 60),
    sessionTimeoutMs,
    records,
    faults,
  };
  return { schedule, accidents: accidentsOf(random, spanMs, partitions) };
}

/** In turns, so that each kind is there however short it lasts. */
function accidentsOf(random: SeededRandom, spanMs: number, partitions: number): Accident[] {
  const count = Math.max(2, Math.floor(spanMs / accidentEveryMs));
  let now = partitions;
  return Array.from({ length: count }, (_, index): Accident => {
    const atMs = Math.floor((spanMs * (index + random.next())) / count);
    if (index % 2 === 1) return { kind: 'restart', atMs, downMs: random.integer(0, 8_000) };
    now += random.integer(1, 2);
    return { kind: 'more partitions', atMs, partitions: now };
  });
}
