import { describe, expect, test } from '@jest/globals';
import { decide, evolve, type Fact, type Job, type Settled } from '../src/index.js';
import { accepted, outcomeOf, recorded, tell } from './builders.js';

const opened: Fact = { type: 'opened' };
const settlements = (facts: Fact[]): Settled[] => tell(facts).events.filter((event) => event.type === 'settled');
const stateAfter = (...facts: Fact[]): Job => tell(facts).job;

describe('a job', () => {
  test('is accepted once, with its analyses as a sorted set', () => {
    const { job, events } = tell([accepted(['b', 'a', 'b']), accepted(['c'])]);
    expect(events).toHaveLength(1);
    expect(Object.keys(job.analyses)).toEqual(['a', 'b']);
    expect(job).toMatchObject({ state: 'accepted', resultVersion: 0, sequence: 1 });
  });

  test('is analysing as soon as its document stands on the topic', () => {
    expect(stateAfter(accepted(['a']), opened, opened)).toMatchObject({ state: 'analysing', sequence: 2 });
  });

  test('is analysing, too, when an outcome is there before its document was read back', () => {
    const { job, events } = tell([accepted(['a', 'b']), recorded(outcomeOf('a'))]);
    expect(job.state).toBe('analysing');
    expect(events.map(({ type }) => type)).toEqual(['accepted', 'analysing', 'outcome-recorded']);
  });

  test('knows nothing of facts that come before it was accepted', () => {
    const facts: Fact[] = [opened, recorded(outcomeOf('a')), { type: 'deadlinePassed' }];
    for (const fact of facts) expect(decide(null, fact)).toEqual([]);
  });

  test('is complete when every requested analysis is done, and not one outcome earlier', () => {
    const start = [accepted(['a', 'b']), opened];
    expect(stateAfter(...start, recorded(outcomeOf('a'))).state).toBe('analysing');
    expect(settlements([...start, recorded(outcomeOf('a')), recorded(outcomeOf('b'))])).toEqual([
      {
        type: 'settled',
        state: 'complete',
        reason: null,
        supersededBy: null,
        resultVersion: 1,
        resultDigest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
        final: true,
        outcomeIds: [outcomeOf('a').outcomeId, outcomeOf('b').outcomeId],
      },
    ]);
  });

  test('is not completed by outcomes that nobody asked for: completeness is set equality, not a count', () => {
    const { job, events } = tell([
      accepted(['a', 'b']),
      opened,
      recorded(outcomeOf('a'), outcomeOf('x'), outcomeOf('y')),
    ]);
    expect(job.state).toBe('analysing');
    expect(Object.keys(job.analyses)).toEqual(['a', 'b']);
    expect(events.filter(({ type }) => type === 'outcome-recorded')).toHaveLength(3);
  });

  test('takes no analysis for requested because of a name that every object has', () => {
    const { job } = tell([accepted(['a']), opened, recorded(outcomeOf('constructor'), outcomeOf('__proto__'))]);
    expect(job.state).toBe('analysing');
  });

  test('is partial when an analysis refused or failed, and says which and why', () => {
    const facts = [accepted(['a', 'b', 'c']), opened, recorded(outcomeOf('c', 'failed'), outcomeOf('a'))];
    expect(settlements([...facts, recorded(outcomeOf('b', 'refused'))])).toMatchObject([
      {
        state: 'partial',
        resultVersion: 1,
        final: true,
        reason: 'b: refused, UNSUPPORTED_LANGUAGE; c: failed, RETRIES_EXHAUSTED',
      },
    ]);
  });

  test('settles as partial at its deadline, is not final while an outcome is late, and is upgraded by number', () => {
    const facts: Fact[] = [accepted(['a', 'b', 'c']), opened, recorded(outcomeOf('a')), { type: 'deadlinePassed' }];
    const upgrades = [recorded(outcomeOf('b')), recorded(outcomeOf('c'))];
    expect(settlements([...facts, ...upgrades])).toMatchObject([
      { state: 'partial', resultVersion: 1, final: false, reason: 'b: late; c: late' },
      { state: 'partial', resultVersion: 2, final: false, reason: 'c: late' },
      { state: 'complete', resultVersion: 3, final: true, reason: null },
    ]);
  });

  test('is settled again by a re-run whose outcome takes effect, and only by such a one', () => {
    const complete = [accepted(['a']), opened, recorded(outcomeOf('a'))];
    expect(settlements([...complete, recorded(outcomeOf('a', 'done', 2))])).toMatchObject([
      { resultVersion: 1 },
      { state: 'complete', resultVersion: 2, outcomeIds: [outcomeOf('a', 'done', 2).outcomeId] },
    ]);
    expect(settlements([...complete, recorded(outcomeOf('a', 'failed', 2))])).toHaveLength(1);
    expect(stateAfter(...complete, recorded(outcomeOf('a', 'failed', 2)))).toMatchObject({
      state: 'complete',
      sequence: 5,
    });
  });

  test('is settled once when several outcomes are told at once', () => {
    const told = recorded(outcomeOf('a', 'failed'), outcomeOf('a'), outcomeOf('b', 'done', 2), outcomeOf('b'));
    expect(settlements([accepted(['a', 'b']), opened, told])).toMatchObject([{ state: 'complete', resultVersion: 1 }]);
  });

  test('is superseded by a newer revision while it is unsettled; its outcomes are recorded and change nothing', () => {
    const newer: Fact = { type: 'newerRevisionOpened', revision: 2 };
    const { job, events } = tell([accepted(['a']), opened, newer, newer, recorded(outcomeOf('a'))]);
    expect(job).toMatchObject({
      state: 'superseded',
      supersededBy: 2,
      resultVersion: 1,
      reason: 'Revision 2 took its place.',
    });
    expect(events.map(({ type }) => type)).toEqual(['accepted', 'analysing', 'settled', 'outcome-recorded']);
  });

  test('keeps its result when a newer revision opens after it had settled', () => {
    const newer: Fact = { type: 'newerRevisionOpened', revision: 2 };
    expect(stateAfter(accepted(['a']), opened, recorded(outcomeOf('a')), newer).state).toBe('complete');
  });

  test.each<[string, Fact]>([
    ['cancelled', { type: 'cancelled', reason: 'asked by the client' }],
    ['rejected', { type: 'rejected', reason: 'no analysis is enabled' }],
  ])('that is %s stays so, whatever comes', (state, fact) => {
    const later: Fact[] = [opened, recorded(outcomeOf('a')), { type: 'deadlinePassed' }, fact];
    const { job, events } = tell([accepted(['a']), fact, ...later]);
    expect(job).toMatchObject({ state, resultVersion: 1 });
    expect(events.filter(({ type }) => type === 'settled')).toMatchObject([
      { state, resultDigest: '', outcomeIds: [] },
    ]);
  });

  test('cannot be rejected any more when it is being analysed', () => {
    expect(stateAfter(accepted(['a']), opened, { type: 'rejected', reason: 'too late' }).state).toBe('analysing');
  });

  test('that waits for review is not settled by an outcome', () => {
    const { job: analysing } = tell([accepted(['a', 'b']), opened, recorded(outcomeOf('a'))]);
    const waiting = evolve(analysing, { type: 'review-requested', reason: 'a rule asks' });
    expect(tell([recorded(outcomeOf('b'))], waiting).job.state).toBe('awaiting_review');
  });

  test('that was released goes back to review when an outcome changes, and not otherwise', () => {
    const { job: analysing } = tell([accepted(['a']), opened]);
    const waiting = [
      { type: 'outcome-recorded', outcome: outcomeOf('a') } as const,
      { type: 'review-requested', reason: 'a rule asks' } as const,
    ].reduce<Job>(evolve, analysing);
    const verdict = { reason: null, supersededBy: null, resultVersion: 1, resultDigest: 'sha256:0', final: true };
    const released = evolve(waiting, { type: 'settled', state: 'released', outcomeIds: [], ...verdict });
    expect(tell([recorded(outcomeOf('a', 'failed', 2))], released).job.state).toBe('released');
    expect(tell([recorded(outcomeOf('a', 'done', 2))], released).job.state).toBe('awaiting_review');
  });
});

describe('a further run', () => {
  const asked = (expectedRun: number, analysis = 'a'): Fact => ({ type: 'runRequested', analysis, expectedRun });
  const complete = [accepted(['a', 'b']), opened, recorded(outcomeOf('a'), outcomeOf('b'))];

  test('is allocated once, however often it is asked for', () => {
    const { job, events } = tell([...complete, asked(1), asked(1)]);
    expect(events.filter(({ type }) => type === 'run-requested')).toEqual([
      { type: 'run-requested', analysis: 'a', run: 2 },
    ]);
    expect(job.analyses['a']).toMatchObject({ wantedRun: 2, effective: { run: 1 } });
    expect(job.state).toBe('complete');
  });

  test('is not allocated for an analysis that the job does not have, nor on a guess', () => {
    expect(tell([...complete, asked(1, 'unknown'), asked(2), asked(0)]).job.analyses['a']?.wantedRun).toBe(1);
  });

  test('settles the job once more when its outcome takes effect, and not when it fails', () => {
    const facts = [...complete, asked(1)];
    expect(settlements([...facts, recorded(outcomeOf('a', 'done', 2))])).toHaveLength(2);
    expect(settlements([...facts, recorded(outcomeOf('a', 'failed', 2))])).toHaveLength(1);
  });

  test('is refused once the job was withdrawn or overtaken', () => {
    const cancelled: Fact = { type: 'cancelled', reason: 'No longer wanted.' };
    const superseded: Fact = { type: 'newerRevisionOpened', revision: 2 };
    for (const fact of [cancelled, superseded]) {
      expect(decide(stateAfter(accepted(['a']), opened, fact), asked(1))).toEqual([]);
    }
  });
});

describe('a job whose analysis met a newer revision before anything was bought', () => {
  const refusal = { ...outcomeOf('a', 'refused'), code: 'SUPERSEDED' };

  test('settles as superseded at once, whatever else is outstanding', () => {
    const job = stateAfter(accepted(['a', 'b']), opened, recorded(refusal));
    expect(job).toMatchObject({ state: 'superseded', resultVersion: 1 });
    expect(decide(job, recorded(outcomeOf('b')))).toMatchObject([{ type: 'outcome-recorded' }]);
  });

  test.each([
    ['newer', 3, 3],
    ['its own', 1, null],
    ['not known', null, null],
  ])('names the newest revision that is known, when that is %s', (_, latestRevision, supersededBy) => {
    const fact: Fact = { type: 'outcomesRecorded', outcomes: [refusal], latestRevision };
    expect(stateAfter(accepted(['a']), opened, fact)).toMatchObject({ state: 'superseded', supersededBy });
  });

  test('stays as it is when the job does not have the analysis', () => {
    const job = stateAfter(accepted(['b']), opened, recorded(refusal));
    expect(job).toMatchObject({ state: 'analysing', resultVersion: 0 });
  });

  test('stays as it is when it has settled before', () => {
    const start = [accepted(['a']), opened, recorded(outcomeOf('a'))];
    expect(stateAfter(...start, recorded({ ...refusal, run: 2 })).state).toBe('complete');
  });
});
