import { describe, expect, it } from '@jest/globals';
import { join } from 'node:path';
import { mutants } from '../mutants/mutants.mjs';
import { isKilled, renderReport } from '../mutants/report.mjs';
import { patchFaults, repositoryRoot } from '../mutants/work-copy.mjs';

const source = join(repositoryRoot, 'libs/kafka/src');
const survived = { seed: 1, schedules: 3000, records: 90_000, tookMs: 1 };
const failure = { path: '2', violations: [{ invariant: 'lag reaches zero', what: '' }] };
const killed = { seed: 2, schedules: 3, records: 90, tookMs: 1, failure };

describe('the mutants of the consumer', () => {
  it('are at least twelve, each with a name of its own', () => {
    expect(mutants.length).toBeGreaterThanOrEqual(12);
    expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length);
  });

  it('all apply to the source as it is', () => {
    expect(mutants.flatMap((mutant) => patchFaults(mutant, source))).toEqual([]);
  });

  it('do not apply when the text is missing or the edit changes nothing', () => {
    const edit = { file: 'consumer/intake.ts', find: 'no such text', replace: '' };
    expect(patchFaults({ name: 'stale', edits: [edit] }, source)).toHaveLength(1);
    const idle = { file: 'consumer/intake.ts', find: 'export class Intake ', replace: 'export class Intake ' };
    expect(patchFaults({ name: 'idle', edits: [idle] }, source)).toHaveLength(1);
  });

  it('count as killed only when every seed found them, and never without having been played', () => {
    expect(isKilled({ name: 'found', plays: [killed, killed] })).toBe(true);
    expect(isKilled({ name: 'missed once', plays: [killed, survived] })).toBe(false);
    expect(isKilled({ name: 'not played', plays: [] })).toBe(false);
    const verdicts = [{ name: 'found', plays: [killed] }];
    expect(renderReport({ date: 'today', baseline: [survived], verdicts, schedules: 3000 })).toContain('1 of 1 killed');
  });
});
