import type { ExploreReport } from './explore.js';

/** What broke and how to play it again; nothing when no promise was broken. */
export function describeFailure({ seed, schedules, failure }: ExploreReport): string {
  if (failure === undefined) return '';
  const { path, violations, schedule } = failure;
  return [
    `Schedule ${schedules} of seed ${seed} breaks a promise:`,
    ...violations.map(({ invariant, what }) => `  ${invariant}: ${what}`),
    `Replay: ANABRANCH_SIM_SEED=${seed} ANABRANCH_SIM_PATH=${path} npm run simulate`,
    `Schedule: ${JSON.stringify(schedule)}`,
  ].join('\n');
}
