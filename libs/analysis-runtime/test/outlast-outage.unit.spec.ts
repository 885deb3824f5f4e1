import { describe, expect, it } from '@jest/globals';
import { PoisonMessage, RetryLater } from '@anabranch/failures';
import { outlastOutage } from '../src/model/outlast-outage.js';

const down = new RetryLater('The provider answered with status 503.', { afterMs: 1_000, code: 'PROVIDER_UNAVAILABLE' });
/** Longer than is waited in place, so that the run is deferred. */
const longWait = { code: 'PROVIDER_UNAVAILABLE', message: down.message, afterMs: 40_000 };

describe('a provider that does not answer', () => {
  it.each([1, 2, 3])('is asked again in place after try %i', (attempt) => {
    expect(outlastOutage(down, { attempt, tookMs: 50 })).toBe(down);
  });

  it('defers the run before its tries in place run out', () => {
    expect(outlastOutage(down, { attempt: 4, tookMs: 50 })).toMatchObject({ ...longWait, cause: down });
  });

  it('defers it the second time that it kept silent for long', () => {
    expect(outlastOutage(down, { attempt: 1, tookMs: 120_000 })).toBe(down);
    expect(outlastOutage(down, { attempt: 2, tookMs: 120_000 })).toMatchObject(longWait);
  });

  it('is waited for as long as it asks, when that is longer', () => {
    const asked = new RetryLater('Later.', { afterMs: 600_000 });
    expect(outlastOutage(asked, { attempt: 4, tookMs: 50 })).toBe(asked);
  });

  it('is told from a failure of the document, which waiting does not mend', () => {
    const poison = new PoisonMessage('BAD_OUTPUT', 'Bad.');
    expect(outlastOutage(poison, { attempt: 5, tookMs: 120_000 })).toBe(poison);
  });
});
