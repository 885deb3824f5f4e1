import { randomInt } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { CommitLog } from './harness/commit-log.js';
import { uniqueConfig } from './harness/environment.js';
import { play, type Played } from './schedules/play.js';
import { renderReport } from './schedules/report.js';
import { schedules } from './schedules/schedule.js';

const { env } = process;
const count = Number(env['ANABRANCH_REAL_SCHEDULES'] ?? 20);
const seed = Number(env['ANABRANCH_REAL_SEED'] ?? randomInt(2 ** 31));
const only = env['ANABRANCH_REAL_ONLY'];
/** So many groups run side by side; each of them has several processes. */
const sideBySide = Number(env['ANABRANCH_REAL_PARALLEL'] ?? 4);

describe('a group of processes on a real broker, with members that join, leave, die, freeze and are replaced', () => {
  let commits: CommitLog;

  beforeAll(async () => {
    commits = await CommitLog.start(uniqueConfig());
  });
  afterAll(() => commits.stop());

  it(
    'keeps every promise of the ledger, whatever the schedule',
    async () => {
      const numRuns = Math.max(count, Number(only ?? 0) + 1);
      const all = fc.sample(schedules, { seed, numRuns });
      const chosen = [...all.entries()].filter(([index]) => only === undefined || index === Number(only));
      const played = new Map<number, Played>();
      const startedAt = Date.now();
      await Promise.all(
        Array.from({ length: sideBySide }, async () => {
          for (let next = chosen.shift(); next !== undefined; next = chosen.shift()) {
            const [index, schedule] = next;
            played.set(index, await play(schedule, commits));
          }
        }),
      );
      const failed = [...played].filter(([, { breaches }]) => breaches.length > 0);
      expect(
        failed.map(([index, { breaches }]) => ({ breaches, replay: replay(index), schedule: all[index] })),
      ).toEqual([]);
      expect(played.size).toBe(only === undefined ? count : 1);
      const report = env['ANABRANCH_REAL_REPORT'];
      const tookMs = Date.now() - startedAt;
      if (report !== undefined)
        writeFileSync(report, renderReport({ seed, all, played: [...played.values()], tookMs }));
    },
    count * 30_000,
  );
});

function replay(index: number): string {
  return `ANABRANCH_REAL_SEED=${seed} ANABRANCH_REAL_ONLY=${index} npm test -- --int libs/kafka/test/schedules`;
}
