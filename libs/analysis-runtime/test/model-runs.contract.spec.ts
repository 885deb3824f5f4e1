import { describe, expect, it } from '@jest/globals';
import type { ModelRequest } from '@anabranch/language-model';
import { createReplayingModel, type Replay, replyOf } from '@anabranch/language-model/testing';
import { RetryLater } from '@anabranch/failures';
import type { ModelPrompt } from '../src/definition.js';
import { createHarness, createMemoryModelCalls, type HarnessModel, ingestedRecord } from '../src/testing/index.js';
import { askingWith, broken, promptOf, twoRounds } from './fixtures/asking.analysis.js';

const store = { get: () => Promise.reject(new Error('nothing is stored')), put: () => Promise.reject(new Error('no')) };
const said = (word: string): Replay => replyOf({ text: JSON.stringify({ word }) });
const down = new RetryLater('the provider is down', { afterMs: 0, code: 'PROVIDER_UNAVAILABLE' });

const installation = (replay: readonly Replay[] | ((request: ModelRequest, call: number) => Replay)) => {
  const model = createReplayingModel(replay);
  const calls = createMemoryModelCalls(model);
  const deploy = (
    prompts: [ModelPrompt<'summary'>, ...ModelPrompt<'summary'>[]],
    options: Partial<HarnessModel> = {},
  ) => createHarness(askingWith(...prompts), { store, model: { calls, ...options } });
  return { model, calls, deploy };
};
const record = (changes: object = {}) => ingestedRecord({ text: 'One came. Two left.', documentId: 'one', ...changes });

describe('a run that has begun', () => {
  it('keeps its prompt through a deployment of another, and buys nothing again', async () => {
    const { model, deploy } = installation([said('early'), said('late')]);
    const before = deploy([promptOf('1')]);
    await before.handle(record());
    const after = deploy([promptOf('2'), promptOf('1')]);
    await after.handle(record());
    expect(model.asked).toHaveLength(1);
    expect(after.published[0]?.event).toEqual(before.published[0]?.event);
    await after.handle(record({ documentId: 'two' }));
    expect(after.published[1]?.event.engine).toMatchObject({ promptVersion: '2' });
    expect(model.asked).toHaveLength(2);
  });

  it('keeps its model through a change of configuration, and is asked for by that name', async () => {
    const { model, deploy } = installation([down, said('early')]);
    const before = deploy([promptOf('1')], { model: 'small', temperature: null });
    await expect(before.handle(record())).rejects.toBe(down);
    const after = deploy([promptOf('1')], { model: 'large', temperature: 1, chunkCharacters: 5 });
    await after.handle(record());
    expect(model.asked.map(({ request }) => request.model)).toEqual(['small', 'small']);
    expect(model.asked[0]).toEqual(model.asked[1]);
    expect(model.asked[0]?.request.parameters).toEqual({ maxOutputTokens: 10 });
    expect(after.published[0]?.event.engine).toMatchObject({ model: 'small' });
  });

  it('that was put off for too long fails, and says why, who was asked and what it cost', async () => {
    const away = new RetryLater('the provider is down', { afterMs: 90_000, code: 'PROVIDER_UNAVAILABLE' });
    const { calls } = installation([said('first'), away]);
    const impatient = createHarness(askingWith(twoRounds), { store, model: { calls }, isPatient: false });
    await expect(impatient.handle(record())).rejects.toBe(away);
    const givenUp: unknown = await impatient.defer(record(), away).catch((error: unknown) => error);
    expect(givenUp).toMatchObject({ name: 'PoisonMessage', code: 'RETRIES_EXHAUSTED', cause: away });
    await impatient.settle(record(), givenUp);
    expect(impatient.published.map(({ event }) => event)).toMatchObject([
      {
        outcome: { status: 'FAILED', failure: { message: expect.stringContaining('the provider is down') } },
        engine: { kind: 'MODEL', promptVersion: 'two' },
        usage: { attempts: 1, boughtOrReused: 'BOUGHT' },
      },
    ]);
  });

  it('goes on with the newest prompt when its own is there no more, and says so', async () => {
    const { deploy } = installation([down, said('new')]);
    await expect(deploy([promptOf('1')]).handle(record())).rejects.toBe(down);
    const unknown: string[] = [];
    const after = deploy([promptOf('2')], { onUnknownPrompt: (version) => unknown.push(version) });
    await after.handle(record());
    expect(unknown).toEqual(['1']);
    expect(after.published[0]?.event.engine).toMatchObject({ promptVersion: '2' });
  });

  it('takes the newest prompt and model when it is another run', async () => {
    const { deploy, model } = installation([said('early'), said('late')]);
    await deploy([promptOf('1')]).handle(record());
    const { published, rerun } = deploy([promptOf('2'), promptOf('1')], { model: 'large' });
    await rerun(record(), { run: 2 });
    expect(published[0]?.event).toMatchObject({ run: 2, engine: { model: 'large', promptVersion: '2' } });
    expect(model.asked).toHaveLength(2);
  });
});

describe('an answer', () => {
  it('serves equal documents of a tenant, and is said to be reused; another tenant pays for its own', async () => {
    const { model, deploy } = installation(() => said('yes'));
    const { handle, published } = deploy([promptOf('1')]);
    await handle(record());
    await handle(record({ documentId: 'two' }));
    await handle(record({ documentId: 'three', tenantId: 'tenant-2' }));
    await handle(record());
    expect(published.map(({ event }) => event.usage?.boughtOrReused)).toEqual(['BOUGHT', 'REUSED', 'BOUGHT', 'BOUGHT']);
    expect(model.asked).toHaveLength(2);
  });

  it('is bought again only by a run that is to', async () => {
    const { model, deploy } = installation(() => said('yes'));
    const { handle, published, rerun } = deploy([promptOf('1')]);
    await handle(record());
    await rerun(record(), { run: 2 });
    await rerun(record(), { run: 3, fresh: true });
    await rerun(record(), { run: 4 });
    expect(model.asked).toHaveLength(2);
    const usages = published.map(({ event }) => event.usage);
    expect(usages.map((usage) => usage?.boughtOrReused)).toEqual(['BOUGHT', 'REUSED', 'BOUGHT', 'REUSED']);
    // What was tried with a purchase that was no longer the newest is not counted.
    expect(usages.map((usage) => usage?.attempts)).toEqual([1, 1, 1, 1]);
  });
});

describe('questions', () => {
  it('of a later round may depend on what was read before', async () => {
    const { model, deploy } = installation([said('one'), said('two')]);
    const event = await deploy([twoRounds]).outcomeOf({ text: 'Some text.' });
    expect(event).toMatchObject({ outcome: { status: 'DONE', result: { text: 'one two' } }, warnings: ['two rounds'] });
    expect(model.asked[1]?.request.messages[1]?.content).toContain('one and then');
  });

  it('about a long document are asked four at a time, and answered in their order', async () => {
    let underWay = 0;
    let most = 0;
    const { model, deploy, calls } = installation((request) =>
      said(/\d+/.exec(request.messages[1]?.content ?? '')?.[0] ?? ''),
    );
    const ask = calls.ask.bind(calls);
    calls.ask = async (...parameters) => {
      underWay += 1;
      most = Math.max(most, underWay);
      const answer = await ask(...parameters);
      underWay -= 1;
      return answer;
    };
    const text = Array.from({ length: 20 }, (_, index) => `Sentence ${index + 100}.`).join(' ');
    const fenceless = { chunkCharacters: 14 };
    const event = await deploy([promptOf('1')], fenceless).outcomeOf({ text });
    expect(model.asked).toHaveLength(20);
    expect(most).toBe(4);
    expect(event.usage).toMatchObject({ attempts: 20, inputTokens: 2_000, outputTokens: 400, latencyMs: 100 });
  });

  it('after a failed one are not asked, and those under way are waited for', async () => {
    const { model, deploy, calls } = installation((_, call) => (call === 1 ? down : said('yes')));
    const text = Array.from({ length: 20 }, (_, index) => `Sentence ${index + 100}.`).join(' ');
    await expect(deploy([promptOf('1')], { chunkCharacters: 14 }).handle(record({ text }))).rejects.toBe(down);
    expect(model.asked.length).toBeLessThan(9);
    expect(calls.answered.size).toBe(model.asked.length - 1);
  });
});

describe('what goes wrong', () => {
  it('in a prompt is a bug, whose message stays inside', async () => {
    const { deploy } = installation([]);
    const error = await deploy([broken])
      .handle(record())
      .catch((thrown: unknown) => thrown as Error);
    expect(String(error)).toContain('TypeError');
    expect(`${(error as Error).message} ${(error as Error).stack}`).not.toContain('One came');
  });

  it('says what was paid and who was asked, also when the provider fails in the end', async () => {
    const { deploy } = installation([replyOf({ text: 'not JSON' }), down]);
    const { handle, settle, published } = deploy([promptOf('1')]);
    const error = await handle(record()).catch((thrown: unknown) => thrown);
    expect(error).toBe(down);
    await settle(record(), error);
    expect(published[0]?.event).toMatchObject({
      outcome: { status: 'FAILED', failure: { code: 'PROVIDER_UNAVAILABLE' } },
      usage: { attempts: 1, inputTokens: 100, boughtOrReused: 'BOUGHT' },
      engine: { kind: 'MODEL', promptVersion: '1' },
    });
  });

  it('is warned of when the provider does not say what it bills', async () => {
    const { deploy } = installation([replyOf({ text: '{"word": "yes"}', usage: null })]);
    const event = await deploy([promptOf('1')]).outcomeOf({ text: 'Some text.' });
    expect(event.usage).toMatchObject({ attempts: 1, inputTokens: 0 });
    expect(event.warnings).toEqual([expect.stringContaining('did not say how many tokens')]);
  });
});
