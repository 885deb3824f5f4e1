import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { compareOutcomes, outcomeStatuses, takesEffect, type Outcome } from '../src/index.js';
import { outcomeOf } from './builders.js';

const anyOutcome = fc
  .tuple(fc.constantFrom(...outcomeStatuses), fc.integer({ min: 1, max: 4 }))
  .map(([status, run]) => outcomeOf('a', status, run));

const effectiveOf = (outcomes: readonly Outcome[]): Outcome | null =>
  outcomes.reduce<Outcome | null>((holder, next) => (takesEffect(next, holder) ? next : holder), null);

/** Semantics §4, as it is written: the highest done, else the highest; within a run done, refused, failed, late. */
function asWritten(outcomes: readonly Outcome[]): string | undefined {
  const done = outcomes.filter(({ status }) => status === 'done');
  const candidates = done.length > 0 ? done : outcomes;
  const run = Math.max(...candidates.map((outcome) => outcome.run));
  const ofRun = candidates.filter((outcome) => outcome.run === run).map(({ status }) => status);
  return outcomeStatuses.filter((status) => ofRun.includes(status)).map((status) => `${run} ${status}`)[0];
}

describe('the outcome in effect', () => {
  test.each([
    [
      'a failed forced redrive never destroys a good result',
      [
        ['done', 1],
        ['failed', 2],
      ],
      '1 done',
    ],
    [
      'the highest run that is done wins',
      [
        ['done', 1],
        ['done', 3],
        ['done', 2],
      ],
      '3 done',
    ],
    [
      'without any done one, the highest run wins',
      [
        ['refused', 1],
        ['late', 2],
      ],
      '2 late',
    ],
    [
      'within a run, done beats refused beats failed beats late',
      [
        ['late', 1],
        ['failed', 1],
        ['refused', 1],
      ],
      '1 refused',
    ],
  ] as const)('%s', (_, outcomes, expected) => {
    const effective = effectiveOf(outcomes.map(([status, run]) => outcomeOf('a', status, run)));
    expect(`${effective?.run} ${effective?.status}`).toBe(expected);
  });

  test('is what semantics §4 says, for any outcomes in any order', () => {
    fc.assert(
      fc.property(fc.array(anyOutcome, { minLength: 1, maxLength: 12 }), (outcomes) => {
        const effective = effectiveOf(outcomes);
        expect(`${effective?.run} ${effective?.status}`).toBe(asWritten(outcomes));
        expect(effectiveOf(outcomes.toReversed())).toEqual(effective);
        expect(outcomes.toSorted(compareOutcomes).at(-1)).toEqual(effective);
      }),
    );
  });
});
