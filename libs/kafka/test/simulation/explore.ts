import fc from 'fast-check';
import type { Violation } from './ledger/note.js';
import { schedules, type Schedule } from './schedule.js';
import { simulate } from './simulation.js';

export interface ExploreOptions {
  readonly schedules: number;
  /** Random unless given. */
  readonly seed?: number | undefined;
  /** Of a failure that is to be replayed, as it was printed. */
  readonly path?: string | undefined;
  /** How long a failing schedule may be made smaller, in real time; not at all when 0. */
  readonly shrinkMs: number;
  /** In real time: no further schedule is begun afterwards. */
  readonly limitMs?: number | undefined;
}

export interface ExploreReport {
  readonly seed: number;
  readonly schedules: number;
  readonly records: number;
  readonly tookMs: number;
  readonly failure?: {
    readonly path: string;
    readonly violations: readonly Violation[];
    readonly schedule: Schedule;
  };
}

/** Plays schedules until one breaks a promise, or all are played. */
export async function explore(options: ExploreOptions): Promise<ExploreReport> {
  const startedAt = performance.now();
  let played = 0;
  let records = 0;
  let shrinkUntil: number | undefined;
  let last: { violations: readonly Violation[]; schedule: Schedule } | undefined;
  const escaped: Violation[] = [];
  const noteEscape = (error: unknown) => void escaped.push({ invariant: 'no error escapes', what: String(error) });
  process.on('unhandledRejection', noteEscape);
  const property = fc.asyncProperty(schedules, async (schedule) => {
    if (shrinkUntil !== undefined && performance.now() > shrinkUntil) return;
    const result = await simulate(schedule);
    const violations = [...result.violations, ...escaped.splice(0)];
    if (shrinkUntil === undefined) {
      played++;
      records += result.records;
    }
    if (violations.length === 0) return;
    last = { violations, schedule };
    shrinkUntil ??= performance.now() + options.shrinkMs;
    throw new Error(violations.map(({ invariant, what }) => `${invariant}: ${what}`).join('; '));
  });
  const { seed, counterexamplePath, failed } = await fc.check(property, {
    numRuns: options.schedules,
    endOnFailure: options.shrinkMs === 0,
    ...(options.limitMs === undefined ? {} : { interruptAfterTimeLimit: options.limitMs }),
    ...(options.seed === undefined ? {} : { seed: options.seed }),
    ...(options.path === undefined ? {} : { path: options.path }),
  });
  process.off('unhandledRejection', noteEscape);
  const tookMs = Math.round(performance.now() - startedAt);
  const report = { seed, schedules: played, records, tookMs };
  if (!failed) return report;
  if (last === undefined) throw new Error('fast-check failed without a broken promise');
  return { ...report, failure: { path: counterexamplePath ?? '', ...last } };
}
