import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  effectiveOutcomes,
  evolve,
  isSettled,
  outcomeStatuses,
  type Fact,
  type Job,
  type Outcome,
} from '../src/index.js';
import { foldDocument, type DocumentFact } from '../src/testing/index.js';
import { accepted, key, outcomeOf, recorded, tell } from './builders.js';

const requestedAnalyses = ['summary', 'entities', 'sentiment'];

const opened = (revision: number): DocumentFact => ({ type: 'opened', revision, requestedAnalyses });
const outcome = (revision: number, value: Outcome): DocumentFact => ({ type: 'outcome', revision, outcome: value });
const allDone = (revision: number): DocumentFact[] =>
  requestedAnalyses.map((analysis) => outcome(revision, outcomeOf(analysis, 'done', 1, revision)));

/** Any outcomes of the analyses, unrequested ones among them: several runs, several statuses of one run. */
const anyOutcomes = (revision: number): fc.Arbitrary<DocumentFact[]> =>
  fc.array(
    fc
      .tuple(
        fc.constantFrom(...requestedAnalyses, 'unasked'),
        fc.constantFrom(...outcomeStatuses),
        fc.integer({ min: 1, max: 3 }),
      )
      .map(([analysis, status, run]) => outcome(revision, outcomeOf(analysis, status, run, revision))),
    { maxLength: 12 },
  );

const shuffled = <T>(items: readonly T[]): fc.Arbitrary<T[]> =>
  fc.shuffledSubarray([...items], { minLength: items.length, maxLength: items.length });

const ordinaryFacts: fc.Arbitrary<Fact> = fc.oneof(
  fc.constant<Fact>({ type: 'opened' }),
  fc.constant<Fact>({ type: 'deadlinePassed' }),
  fc.record({
    type: fc.constant('runRequested' as const),
    analysis: fc.constantFrom(...requestedAnalyses, 'unasked'),
    expectedRun: fc.integer({ min: 1, max: 3 }),
  }),
);
const endings = fc.constantFrom<Fact>(
  { type: 'cancelled', reason: 'No longer wanted.' },
  { type: 'newerRevisionOpened', revision: 2 },
  { type: 'rejected', reason: 'It cannot be read.' },
);

/** All facts, some of them several times. */
const withRepeats = (facts: readonly DocumentFact[]): fc.Arbitrary<DocumentFact[]> =>
  fc.subarray([...facts]).chain((again) => shuffled([...facts, ...again]));

/** What the job says, apart from how it came about: history and numbers of upgrades depend on the order. */
function endOf(job: Job | undefined): unknown {
  if (job === undefined) return undefined;
  return { state: job.state, supersededBy: job.supersededBy, reason: job.reason, effective: effectiveOutcomes(job) };
}

describe('any order of facts', () => {
  test('of one revision leads to the same end, duplicates and outcomes before their job included', () => {
    const facts = anyOutcomes(1).map((outcomes) => [opened(1), ...outcomes]);
    fc.assert(
      fc.property(
        facts.chain((told) => fc.tuple(withRepeats(told), withRepeats(told))),
        ([one, other]) => {
          expect(endOf(foldDocument(key, one).jobs.get(1))).toEqual(endOf(foldDocument(key, other).jobs.get(1)));
        },
      ),
    );
  });

  test('with one run for each analysis leads to exactly one settlement, which is complete', () => {
    fc.assert(
      fc.property(withRepeats([opened(1), ...allDone(1)]), (facts) => {
        const model = foldDocument(key, facts);
        expect(model.jobs.get(1)).toMatchObject({ state: 'complete', resultVersion: 1 });
      }),
    );
  });

  test('of several revisions leaves the newest with its own end, and older ones settled', () => {
    const facts = fc.tuple(anyOutcomes(1), anyOutcomes(2)).map(([first, second]) => ({
      all: [opened(1), opened(2), opened(3), ...first, ...second, ...allDone(3)],
    }));
    fc.assert(
      fc.property(
        facts.chain(({ all }) => withRepeats(all)),
        (told) => {
          const { jobs, latestRevision } = foldDocument(key, told);
          expect(latestRevision).toBe(3);
          expect(jobs.get(3)).toMatchObject({ state: 'complete', supersededBy: null });
          for (const older of [jobs.get(1), jobs.get(2)]) expect(older && isSettled(older.state)).toBe(true);
        },
      ),
    );
  });

  test('makes a revision that opens after a newer one superseded, even when all its outcomes are there', () => {
    fc.assert(
      fc.property(shuffled([opened(2), ...allDone(1), ...allDone(2)]), (facts) => {
        const { jobs } = foldDocument(key, [...facts, opened(1)]);
        expect(jobs.get(1)).toMatchObject({ state: 'superseded', supersededBy: 2, resultVersion: 1 });
        expect(jobs.get(2)?.state).toBe('complete');
      }),
    );
  });

  test('never yields complete with an analysis missing, a number twice, or a lower run over a higher', () => {
    const facts = fc
      .tuple(anyOutcomes(1), anyOutcomes(2))
      .chain(([first, second]) => withRepeats([opened(1), opened(2), ...first, ...second]));
    fc.assert(
      fc.property(facts, (told) => {
        const { histories } = foldDocument(key, told);
        for (const history of histories.values()) checkHistory(history);
      }),
    );
  });

  test('nor when the deadline passes, runs are asked for, and the job is withdrawn or overtaken in between', () => {
    const outcomes = fc.uniqueArray(
      fc.record({
        analysis: fc.constantFrom(...requestedAnalyses, 'unasked'),
        status: fc.constantFrom('done', 'refused', 'failed'),
        run: fc.integer({ min: 1, max: 3 }),
      }),
      { maxLength: 14, selector: ({ analysis, status, run }) => `${analysis} ${status} ${run}` },
    );
    const others = fc.array(fc.oneof({ weight: 8, arbitrary: ordinaryFacts }, { weight: 1, arbitrary: endings }));
    const told = fc
      .tuple(outcomes, others)
      .map(([some, more]) => [
        ...some.map(({ analysis, status, run }) => recorded(outcomeOf(analysis, status, run))),
        ...more,
      ])
      .chain((facts) => shuffled(facts));
    fc.assert(
      fc.property(told, (facts) => {
        const { job, events } = tell([accepted(requestedAnalyses), ...facts]);
        checkHistory(events);
        expect(events.reduce<Job | null>(evolve, null)).toEqual(job);
      }),
      { numRuns: 2_000 },
    );
  });

  test('gives a history from which the job can be rebuilt', () => {
    fc.assert(
      fc.property(
        anyOutcomes(1).chain((outcomes) => withRepeats([opened(1), ...outcomes])),
        (told) => {
          const { jobs, histories } = foldDocument(key, told);
          expect((histories.get(1) ?? []).reduce<Job | null>(evolve, null)).toEqual(jobs.get(1));
        },
      ),
    );
  });
});

function checkHistory(history: readonly Parameters<typeof evolve>[1][]): void {
  let job: Job | null = null;
  let settlement = 0;
  for (const event of history) {
    const before: Job | null = job;
    job = evolve(job, event);
    if (event.type === 'settled') {
      expect(event.resultVersion).toBe(++settlement);
      const effective = effectiveOutcomes(job);
      const isComplete =
        effective.length === requestedAnalyses.length && effective.every(({ status }) => status === 'done');
      expect(event.state === 'complete').toBe(isComplete);
    }
    for (const [analysis, { effective }] of Object.entries(before?.analyses ?? {})) {
      const next = job.analyses[analysis]?.effective;
      if (effective !== null) expect(isKept(effective, next ?? null)).toBe(true);
    }
  }
}

/** What is done is left for a higher run that is done; what is not done, also for the same run that ended better. */
function isKept(before: Outcome, after: Outcome | null): boolean {
  if (after === null) return false;
  if (before.status === 'done') return after.status === 'done' && after.run >= before.run;
  const isBetter = outcomeStatuses.indexOf(after.status) <= outcomeStatuses.indexOf(before.status);
  return after.status === 'done' || after.run > before.run || (after.run === before.run && isBetter);
}
