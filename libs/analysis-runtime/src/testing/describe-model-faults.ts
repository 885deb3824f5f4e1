import { setImmediate } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { PoisonMessage, RetryLater } from '@anabranch/failures';
import type { AnyAnalysis } from '../define-analysis.js';
import { caught, type ModelFixtures, modelSubjects } from './model-subject.js';

/** What becomes of a document when the model or its provider does not do as it should: to be called within a `describe`. */
export function describeModelFaults(definition: AnyAnalysis, { text, replies }: ModelFixtures): void {
  const { subjectOf, record } = modelSubjects(definition, { text });

  it('shows a reply that is not what was asked for to the model, once, with what is wrong', async () => {
    const { model, outcomeOf } = subjectOf([replies.invalid, replies.done]);
    const { outcome, usage } = await outcomeOf({ text });
    expect(outcome.status).toBe('DONE');
    expect(usage).toMatchObject({ attempts: 2 });
    const [first, repair] = model.asked.map(({ request }) => request);
    expect(repair?.messages.slice(0, 2)).toEqual(first?.messages);
    expect(repair?.messages.slice(2).map(({ role }) => role)).toEqual(['assistant', 'user']);
    expect(repair?.messages[2]?.content).toBe(replies.invalid.text);
  });

  it('names the failure when it is still not what was asked for, and what it cost', async () => {
    const { model, handle, settle, published } = subjectOf([replies.invalid, replies.invalid]);
    const error = await caught(handle(record()));
    expect(error).toBeInstanceOf(PoisonMessage);
    expect(error).toMatchObject({ code: 'BAD_OUTPUT' });
    await settle(record(), error);
    expect(published.map(({ event }) => event)).toMatchObject([
      {
        outcome: { status: 'FAILED', failure: { code: 'BAD_OUTPUT' } },
        usage: { attempts: 2 },
        engine: { kind: 'MODEL' },
      },
    ]);
    expect(await caught(handle(record()))).toMatchObject({ code: 'BAD_OUTPUT' });
    expect(model.asked).toHaveLength(2);
  });

  it('asks once more with more room when the reply was cut', async () => {
    const { model, outcomeOf } = subjectOf([replies.cut, replies.done]);
    expect((await outcomeOf({ text })).outcome.status).toBe('DONE');
    const [first, second] = model.asked.map(({ request }) => request);
    expect(second?.messages).toEqual(first?.messages);
    expect(second?.parameters.maxOutputTokens).toBeGreaterThan(first?.parameters.maxOutputTokens ?? Infinity);
  });

  it('is refused by name when the model declines, and says what that cost', async () => {
    const { outcomeOf, model } = subjectOf([replies.refused, { ...replies.refused, finishReason: 'content-filter' }]);
    const declined = await outcomeOf({ text });
    const filtered = await outcomeOf({ text: `${text} Once more.` });
    expect(declined).toMatchObject({
      outcome: { status: 'REFUSED', refusal: { code: 'MODEL_REFUSED', provider: 'fake' } },
      usage: { attempts: 1 },
      engine: { kind: 'MODEL' },
    });
    expect(filtered.outcome).toMatchObject({ refusal: { code: 'CONTENT_FILTERED', provider: 'fake' } });
    expect(model.asked).toHaveLength(2);
  });

  it('waits as long as a provider asks for, and keeps the run by what it waits for', async () => {
    const limited = new RetryLater('slow down', { afterMs: 90_000 });
    const { handle, defer, deferred, published } = subjectOf([limited]);
    const error = await caught(handle(record()));
    expect(error).toBe(limited);
    expect(error).toMatchObject({ code: 'RETRY_LATER', afterMs: 90_000 });
    await defer(record(), error);
    expect(deferred).toMatchObject([
      { analysis: definition.name, run: 1, reason: 'RETRY_LATER', dependency: 'fake small', waitMs: 90_000 },
    ]);
    expect(published).toEqual([]);
  });

  it('stops when it is aborted while the model answers, and publishes nothing', async () => {
    const { model, handle, published } = subjectOf(['hang']);
    const abort = new AbortController();
    const reason = new Error('the partition was lost');
    const handled = caught(handle(record(), abort.signal));
    while (model.asked.length === 0) await setImmediate();
    abort.abort(reason);
    expect(await handled).toBe(reason);
    expect(published).toEqual([]);
  });

  it('names the failure when a text is larger than the limit, and when it does not fit into the model', async () => {
    const limited = subjectOf([], { maxCharacters: 10 });
    expect(await caught(limited.handle(record()))).toMatchObject({ code: 'TEXT_TOO_LARGE' });
    expect(limited.model.asked).toEqual([]);
    const tooLong = subjectOf([new PoisonMessage('CONTEXT_EXCEEDED', 'too long')]);
    expect(await caught(tooLong.handle(record()))).toMatchObject({ code: 'CONTEXT_EXCEEDED' });
  });
}
