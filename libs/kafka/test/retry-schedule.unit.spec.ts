import { describe, expect, it } from '@jest/globals';
import { DependencyUnavailable, PoisonMessage, Refused, RetryLater, StopService } from '@anabranch/failures';
import fc from 'fast-check';
import { consumerDefaults } from '../src/consumer/consumer-settings.js';
import { loggableError } from '../src/consumer/loggable-error.js';
import { stepAfter, undecodable, type Step } from '../src/consumer/next-step.js';
import { countFailure, nextTry, type Attempts } from '../src/consumer/retry-schedule.js';

const policy = consumerDefaults.retry;

/** Tries a record that always fails so, until it is settled; returns the waits and the last step. */
function tryUntilSettled(error: unknown, random = 0.5): { waits: number[]; last: Step } {
  const waits: number[] = [];
  let attempts: Attempts | undefined;
  let now = 1_000;
  for (;;) {
    const step = stepAfter(policy, { error, attempts, now, random });
    if (step.kind !== 'retry') return { waits, last: step };
    waits.push(step.afterMs);
    attempts = step.attempts;
    now += step.afterMs;
  }
}

describe('the retry schedule', () => {
  it('gives a record that asks for a later try five attempts, with waits that double', () => {
    const { waits, last } = tryUntilSettled(new RetryLater('busy', { afterMs: 0 }));
    expect(waits).toEqual([250, 500, 1_000, 2_000]);
    expect(last).toMatchObject({ kind: 'settle', verdict: { failure: { code: 'RETRIES_EXHAUSTED', attempts: 5 } } });
  });

  it('gives a record that meets a bug two', () => {
    const { waits, last } = tryUntilSettled(new Error('cannot read properties of undefined'));
    expect(waits).toHaveLength(1);
    expect(last).toMatchObject({ kind: 'settle', verdict: { failure: { code: 'HANDLER_FAILED', attempts: 2 } } });
  });

  it('never waits less than it was asked to', () => {
    const { waits } = tryUntilSettled(new RetryLater('busy', { afterMs: 20_000 }), 0);
    expect(waits).toEqual([20_000, 20_000, 20_000, 20_000]);
  });

  it('gives up at once when the next try would come after the age limit', () => {
    const { waits } = tryUntilSettled(new RetryLater('quota', { afterMs: 50_000 }), 0);
    expect(waits).toEqual([50_000, 50_000]);
    expect(tryUntilSettled(new RetryLater('quota', { afterMs: 3_600_000 })).waits).toEqual([]);
  });

  it('has full jitter: any wait from what was asked for to the bound may come', () => {
    const attempts = { failed: 1, firstFailedAt: 0, lastFailedAt: 0 };
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), fc.nat(10_000), (random, afterMs) => {
        const waitMs = nextTry(policy, { attempts, maxAttempts: 5, afterMs, random });
        expect(waitMs).toBeGreaterThanOrEqual(afterMs);
        expect(waitMs).toBeLessThanOrEqual(afterMs + policy.firstWaitMs);
      }),
    );
  });

  it('remembers the first failure and counts every one', () => {
    expect(countFailure(countFailure(undefined, 5), 9)).toEqual({ failed: 2, firstFailedAt: 5, lastFailedAt: 9 });
  });
});

describe('what follows from a failure', () => {
  const after = (error: unknown): Step => stepAfter(policy, { error, attempts: undefined, now: 0, random: 0 });

  it('is a dead letter for poison, and none for a refusal', () => {
    expect(after(new PoisonMessage('CONTENT_MISSING', 'gone'))).toMatchObject({
      kind: 'settle',
      verdict: { deadLetter: true, stage: 'TASK_PUT', failure: { code: 'CONTENT_MISSING', message: 'gone' } },
    });
    expect(after(new Refused('NO_CONTENT', 'empty'))).toMatchObject({ kind: 'settle', verdict: { deadLetter: false } });
  });

  it('is a pause of the intake for a shared dependency, and a stop for this process', () => {
    expect(after(new DependencyUnavailable('postgres', 'down'))).toMatchObject({
      kind: 'pause',
      dependency: 'postgres',
    });
    expect(after(new StopService('wrong key'))).toMatchObject({ kind: 'stop' });
  });

  it('quotes no unknown error, which may quote the document, and neither does the log', () => {
    const error = new SyntaxError('Unexpected token in "Dear Mr Smith"');
    const step = tryUntilSettled(error).last;
    expect(JSON.stringify(step.kind === 'settle' && step.verdict.failure.message)).not.toContain('Smith');
    expect(JSON.stringify(loggableError(error))).not.toContain('Smith');
    expect(loggableError(new PoisonMessage('INVALID_EVENT', 'a rule', { cause: error }))).toEqual({
      code: 'INVALID_EVENT',
      reason: 'a rule',
    });
  });

  it('lets the log say what a bug is, and where', () => {
    const bug = new TypeError('Cannot read properties of undefined');
    expect(loggableError(bug)).toMatchObject({ errorType: 'TypeError', reason: bug.message, code: 'HANDLER_FAILED' });
    expect(JSON.stringify(loggableError(bug))).toContain('retry-schedule.unit.spec');
  });

  it('is a dead letter of the decoding stage for what cannot be read', () => {
    expect(undecodable(new PoisonMessage('TOMBSTONE', 'no value'), 7)).toMatchObject({
      deadLetter: true,
      stage: 'VALUE_CONVERTER',
      failure: { code: 'TOMBSTONE', attempts: 1, firstFailedAt: 7 },
    });
  });
});
