import { randomInt } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { testAddress } from '@anabranch/test-support';
import * as fc from 'fast-check';
import { CommitLog } from './harness/commit-log.js';
import { uniqueConfig } from './harness/environment.js';
import { OwnBroker } from './harness/own-broker.js';
import { play, type Played, type Stage } from './schedules/play.js';
import { Progress } from './schedules/progress.js';
import { renderReport } from './schedules/report.js';
import { schedules, type Schedule } from './schedules/schedule.js';

const { env } = process;
const count = Number(env['ANABRANCH_REAL_SCHEDULES'] ?? 20);
const progress = Progress.open(env['ANABRANCH_REAL_PROGRESS'], () =>
  Number(env['ANABRANCH_REAL_SEED'] ?? randomInt(2 ** 31)),
);
const { seed } = progress;
const only = env['ANABRANCH_REAL_ONLY'];
/** So many groups run side by side; each of them has several processes. */
const sideBySide = Number(env['ANABRANCH_REAL_PARALLEL'] ?? 4);

describe('a group of processes on a real broker, with members that join, leave, die, freeze and are replaced', () => {
  it(
    'keeps every promise of the ledger, whatever the schedule',
    async () => {
      const chosen = choose(count);
      const startedAt = Date.now();
      const played = await onStage(testAddress('kafka'), (stage) => playAll(chosen, stage, progress));
      progress.end();
      expectPromisesKept(chosen, played);
      const report = env['ANABRANCH_REAL_REPORT'];
      const results = { played: [...played.values()], tookMs: Date.now() - startedAt };
      if (report !== undefined) writeFileSync(report, renderReport({ seed, all: [...chosen.values()], ...results }));
    },
    count * 30_000,
  );

  it('keeps them also when the broker itself is stopped and started meanwhile', async () => {
    const chosen = choose(sideBySide);
    const broker = await OwnBroker.start();
    try {
      const played = await onStage(broker.address, (stage) => playWithRestart(chosen, stage, broker));
      expectPromisesKept(chosen, played);
    } finally {
      await broker.stop();
    }
  }, 240_000);
});

/** The schedules of this seed, by their index; the one to replay if one is given. */
function choose(most: number): ReadonlyMap<number, Schedule> {
  const all = fc.sample(schedules, { seed, numRuns: Math.max(most, Number(only ?? 0) + 1) });
  return new Map([...all.entries()].filter(([index]) => only === undefined || index === Number(only)));
}

async function onStage<T>(broker: string, work: (stage: Stage) => Promise<T>): Promise<T> {
  const commits = await CommitLog.start({ ...uniqueConfig(), brokers: [broker] });
  try {
    return await work({ broker, commits });
  } finally {
    await commits.stop();
  }
}

/** Those that were not played yet. One that cannot be played fails alone. */
async function playAll(
  chosen: ReadonlyMap<number, Schedule>,
  { onFailed, ...stage }: Stage & { readonly onFailed?: () => void },
  progress: Progress,
): Promise<ReadonlyMap<number, Played>> {
  const notPlayed = (error: Error): Played => {
    onFailed?.();
    return { breaches: [{ promise: 'the schedule can be played', what: error.stack ?? String(error) }], counts: {} };
  };
  const waiting = [...chosen].filter(([index]) => !progress.played.has(index));
  const playOn = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [index, schedule] = next;
      progress.note(index, await play(schedule, stage).catch(notPlayed), chosen.size);
    }
  };
  await Promise.all(Array.from({ length: sideBySide }, playOn));
  return progress.played;
}

/** The broker is away for a while as soon as all groups are complete. */
async function playWithRestart(
  chosen: ReadonlyMap<number, Schedule>,
  stage: Stage,
  broker: OwnBroker,
): Promise<ReadonlyMap<number, Played>> {
  let begun = 0;
  const mayRestart = Promise.withResolvers<void>();
  const restart = async (): Promise<void> => {
    await mayRestart.promise;
    await broker.stop();
    await broker.resume();
  };
  const restarted = restart();
  const meanwhile = (): Promise<void> => {
    begun++;
    if (begun === chosen.size) mayRestart.resolve();
    return restarted;
  };
  const unrecorded = Progress.open(undefined, () => seed);
  return playAll(chosen, { ...stage, meanwhile, onFailed: mayRestart.resolve }, unrecorded);
}

function expectPromisesKept(chosen: ReadonlyMap<number, Schedule>, played: ReadonlyMap<number, Played>): void {
  const failed = [...played].filter(([, { breaches }]) => breaches.length > 0);
  const shown = failed.map(([index, { breaches }]) => ({
    breaches,
    replay: replay(index),
    schedule: chosen.get(index),
  }));
  expect(shown).toEqual([]);
  expect(played.size).toBe(chosen.size);
  expect(chosen.size).toBeGreaterThan(0);
}

function replay(index: number): string {
  return `ANABRANCH_REAL_SEED=${seed} ANABRANCH_REAL_ONLY=${index} npm test -- --int libs/kafka/test/schedules`;
}
