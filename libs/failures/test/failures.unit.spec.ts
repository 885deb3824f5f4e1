import { describe, expect, it } from '@jest/globals';
import {
  actionFor,
  DependencyUnavailable,
  describeFailure,
  failureCodes,
  isFailureCode,
  PoisonMessage,
  Refused,
  RetryLater,
  StopService,
  type Action,
  type FailureClass,
  type FailureCode,
  type PoisonCode,
  type RefusedCode,
  type RetryCode,
  type StopCode,
} from '../src/index.js';

const cause = new Error('the cause');

const throwers: Record<FailureClass, { make: (code: FailureCode) => Error; action: Action }> = {
  poison: { make: (code) => new PoisonMessage(code as PoisonCode, 'm', { cause }), action: 'dead-letter' },
  refused: { make: (code) => new Refused(code as RefusedCode, 'm', { cause }), action: 'refuse' },
  retry: { make: (code) => new RetryLater('m', { afterMs: 5, code: code as RetryCode, cause }), action: 'retry' },
  pause: { make: () => new DependencyUnavailable('postgres', 'm', { cause }), action: 'pause-intake' },
  stop: { make: (code) => new StopService('m', { code: code as StopCode, cause }), action: 'stop' },
};

const codes = Object.keys(failureCodes) as FailureCode[];

describe('every failure says what happens next', () => {
  it.each(codes)('%s leads to the action of its class, with code, message and cause kept', (code) => {
    const { make, action } = throwers[failureCodes[code].class];
    const failure = make(code);
    expect(actionFor(failure)).toBe(action);
    expect(describeFailure(failure)).toEqual({ code, message: 'm' });
    expect(failure.cause).toBe(cause);
    expect(failure).toBeInstanceOf(Error);
    expect(failure.name).toBe(failure.constructor.name);
  });

  it.each(codes)('%s tells the public what it is and an operator what to do', (code) => {
    expect(failureCodes[code].text).toMatch(/^\p{Lu}.+\.$/u);
    expect(failureCodes[code].runbook).toMatch(/^\p{Lu}.+\.$/u);
  });

  it('every class of failure has a code, so that the table above is whole', () => {
    expect(new Set(codes.map((code) => failureCodes[code].class))).toEqual(new Set(Object.keys(throwers)));
  });
});

describe('what is no failure of ours is a bug', () => {
  it.each([new TypeError('x is undefined'), 'a string', undefined, null, { code: 'DECODE_FAILED' }])(
    '%p gets a second try',
    (thrown) => {
      expect(actionFor(thrown)).toBe('retry-once');
    },
  );

  it('its message, which may quote the document, is not passed on', () => {
    expect(describeFailure(new Error('cannot parse "dear Ms Meyer"'))).toEqual({
      code: 'HANDLER_FAILED',
      message: failureCodes.HANDLER_FAILED.text,
    });
  });
});

describe('a failure carries what its handling needs', () => {
  it('a retry knows how long to wait, and a code even when none was given', () => {
    expect(new RetryLater('slow down', { afterMs: 1500 })).toMatchObject({ afterMs: 1500, code: 'RETRY_LATER' });
  });

  it('a refusal knows who refused', () => {
    expect(new Refused('CONTENT_FILTERED', 'no', { provider: 'openai' }).provider).toBe('openai');
    expect(new Refused('NO_CONTENT', 'no').provider).toBeNull();
  });

  it('an outage names the dependency', () => {
    expect(new DependencyUnavailable('registry', 'down').dependency).toBe('registry');
  });

  it('a string from a header is a code only when it is in the table', () => {
    expect(isFailureCode('KEY_MISMATCH')).toBe(true);
    expect(isFailureCode('toString')).toBe(false);
    expect(isFailureCode('')).toBe(false);
  });
});
