import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { PoisonMessage, RetryLater } from '@anabranch/failures';
import { createOpenAiCompatibleModel, type ModelRequest, usageOf } from '../src/index.js';
import { type BehaviourInput, type FakeServer, startFakeServer } from '../src/testing/index.js';

const key = 'sk-very-secret';
const document = 'The committee met in Geneva.';
const request: ModelRequest = {
  provider: 'fake',
  model: 'small',
  parameters: { maxOutputTokens: 200, temperature: 0 },
  messages: [
    { role: 'system', content: 'Summarise.' },
    { role: 'user', content: document },
  ],
  schema: {
    name: 'summary',
    jsonSchema: { type: 'object', properties: { summary: { type: 'string', description: 'a sentence' } } },
  },
};

let server: FakeServer;
const logged: object[] = [];
const modelAt = (baseUrl: string, timeoutMs = 10_000) =>
  createOpenAiCompatibleModel({
    baseUrl,
    apiKey: key,
    timeoutMs,
    log: { error: (fields, message) => logged.push({ ...fields, message }) },
  });
const never = new AbortController().signal;
const ask = (next: BehaviourInput, timeoutMs?: number) => {
  server.follow({ next: [next] });
  return modelAt(server.baseUrl, timeoutMs).generateObject(request, { signal: never, idempotencyKey: 'key-1' });
};
const failureOf = (next: BehaviourInput, timeoutMs?: number): Promise<Error> =>
  ask(next, timeoutMs).then(
    () => Promise.reject(new Error('it answered')),
    (error: unknown) => error as Error,
  );

beforeAll(async () => {
  server = await startFakeServer();
});
beforeEach(() => {
  logged.length = 0;
});
afterAll(() => server.close());

describe('a reply', () => {
  it('has text, usage, the provider’s name for the call and the time that it took', async () => {
    const reply = await ask({ kind: 'answer' });
    expect(JSON.parse(reply.text)).toEqual({ summary: document });
    expect(reply).toMatchObject({
      finishReason: 'stop',
      usage: { inputTokens: 10, outputTokens: expect.any(Number), cachedInputTokens: 0 },
      providerRequestId: expect.stringMatching(/^call-/),
    });
    expect(reply.latencyMs).toBeGreaterThanOrEqual(0);
    expect(JSON.parse(JSON.stringify(reply))).toEqual(reply);
  });

  it('is asked for with the idempotency key, and equal requests have equal bytes', async () => {
    await ask({ kind: 'answer' });
    await ask({ kind: 'answer' });
    const [one, other] = server.calls().slice(-2);
    expect(one?.idempotencyKey).toBe('key-1');
    expect(one?.requestSha256).toBe(other?.requestSha256);
  });

  it.each([
    ['refusal', 'refusal'],
    ['content-filter', 'content-filter'],
    ['length', 'length'],
  ] as const)('that ends with %s is final, and billed', async (kind, finishReason) => {
    const reply = await ask({ kind });
    expect(reply).toMatchObject({ finishReason, usage: { inputTokens: 10 } });
    if (kind !== 'length') expect(reply.text).toBe('');
  });

  it.each(['content_filter', 'content_policy_violation'])(
    'is final, too, when the filter speaks by a status: %s',
    async (code) => {
      const reply = await ask({ kind: 'error', status: 400, code });
      expect(reply).toMatchObject({ finishReason: 'content-filter', text: '', usage: null });
    },
  );

  it.each(['fenced', 'schema-violation', 'empty'] as const)('that is %s is passed on as it is', async (kind) => {
    expect(await ask({ kind })).toMatchObject({ finishReason: 'stop', usage: { inputTokens: 10 } });
  });
});

describe('a provider that may answer another time', () => {
  it.each([
    ['asks for less', { kind: 'error', status: 429 }, 'RETRY_LATER', 1_000],
    ['asks for a second', { kind: 'error', status: 429, retryAfter: '1' }, 'RETRY_LATER', 1_000],
    ['asks for ninety seconds', { kind: 'error', status: 429, retryAfter: '90' }, 'RETRY_LATER', 90_000],
    ['asks for an hour', { kind: 'error', status: 503, retryAfter: '3600' }, 'PROVIDER_UNAVAILABLE', 3_600_000],
    ['asks in milliseconds', { kind: 'error', status: 429, retryAfter: '9', retryAfterMs: 250 }, 'RETRY_LATER', 250],
    ['has no quota left', { kind: 'error', status: 429, code: 'insufficient_quota' }, 'QUOTA', 600_000],
    ['wants to be paid', { kind: 'error', status: 402 }, 'QUOTA', 600_000],
    ['knows no such key', { kind: 'error', status: 401 }, 'PROVIDER_CONFIGURATION', 300_000],
    ['allows it not', { kind: 'error', status: 403 }, 'PROVIDER_CONFIGURATION', 300_000],
    ['knows no such model', { kind: 'error', status: 404 }, 'PROVIDER_CONFIGURATION', 300_000],
    ['moved', { kind: 'redirect' }, 'PROVIDER_CONFIGURATION', 300_000],
    ['timed out', { kind: 'error', status: 408 }, 'PROVIDER_UNAVAILABLE', 1_000],
    ['is at the same call', { kind: 'error', status: 409 }, 'PROVIDER_UNAVAILABLE', 1_000],
    ['broke', { kind: 'error', status: 500 }, 'PROVIDER_UNAVAILABLE', 1_000],
    ['answers in HTML', { kind: 'html' }, 'PROVIDER_UNAVAILABLE', 1_000],
    ['is overloaded', { kind: 'error', status: 529 }, 'PROVIDER_UNAVAILABLE', 1_000],
    ['names an error in a body of status 200', { kind: 'error-within-200', status: 429 }, 'RETRY_LATER', 1_000],
    ['resets the connection', { kind: 'reset' }, 'PROVIDER_UNAVAILABLE', 0],
    ['breaks off', { kind: 'cut' }, 'PROVIDER_UNAVAILABLE', 0],
    ['sends broken JSON', { kind: 'broken-json' }, 'PROVIDER_UNAVAILABLE', 0],
    ['succeeds otherwise, with an error', { kind: 'error', status: 201 }, 'PROVIDER_UNAVAILABLE', 1_000],
    ['offers no choice', { kind: 'no-choices' }, 'PROVIDER_UNAVAILABLE', 0],
    ['never ends', { kind: 'endless' }, 'PROVIDER_UNAVAILABLE', 0],
  ] as const)('when it %s', async (_name, behaviour, code, afterMs) => {
    const error = await failureOf(behaviour);
    expect(error).toBeInstanceOf(RetryLater);
    expect(error).toMatchObject({ code, afterMs });
  });

  it('when it says nothing within the time that a call may take', async () => {
    expect(await failureOf({ kind: 'hang' }, 100)).toMatchObject({ code: 'PROVIDER_UNAVAILABLE' });
  });

  it('when nobody is there', async () => {
    const gone = await startFakeServer();
    await gone.close();
    const call = modelAt(gone.baseUrl).generateObject(request, { signal: never, idempotencyKey: 'key-1' });
    await expect(call).rejects.toMatchObject({
      code: 'PROVIDER_UNAVAILABLE',
      message: expect.stringContaining('ECONNREFUSED'),
    });
  });

  it('is not followed to another address, which would get the key', async () => {
    const before = server.counts().calls;
    await failureOf({ kind: 'redirect' });
    expect(server.counts().calls).toBe(before + 1);
  });

  it('is billed for what it billed', async () => {
    expect(usageOf(await failureOf({ kind: 'no-choices' }))).toMatchObject({ inputTokens: 10 });
    expect(usageOf(await failureOf({ kind: 'reset' }))).toBeNull();
  });

  it.each([
    ['configuration', { kind: 'error', status: 401 }, 'PROVIDER_CONFIGURATION'],
    ['quota', { kind: 'error', status: 402 }, 'QUOTA'],
  ] as const)('is reported to operators when it is a matter of %s', async (_name, behaviour, code) => {
    await failureOf(behaviour);
    expect(logged).toMatchObject([{ code, provider: 'fake', model: 'small' }]);
  });
});

describe('a request that cannot be answered as it stands', () => {
  it.each([
    ['is too long', { kind: 'error', status: 400, code: 'context_length_exceeded' }, 'CONTEXT_EXCEEDED'],
    ['is too large', { kind: 'error', status: 413 }, 'CONTEXT_EXCEEDED'],
    ['has what the server does not know', { kind: 'error', status: 400 }, 'MODEL_REQUEST_REJECTED'],
    ['is not understood', { kind: 'error', status: 422 }, 'MODEL_REQUEST_REJECTED'],
  ] as const)('is poison when it %s', async (_name, behaviour, code) => {
    const error = await failureOf(behaviour);
    expect(error).toBeInstanceOf(PoisonMessage);
    expect(error).toMatchObject({ code });
  });
});

describe('a call that is no longer wanted', () => {
  const reason = new Error('the partition was lost');

  it('ends with the signal’s reason while it waits, and the server sees it', async () => {
    server.follow({ next: [{ kind: 'hang' }] });
    const abort = new AbortController();
    const model = modelAt(server.baseUrl);
    const before = server.counts().calls;
    const call = model.generateObject(request, { signal: abort.signal, idempotencyKey: 'key-2' });
    const ended = call.catch((error: unknown) => error);
    while (server.counts().calls === before) await new Promise((resolve) => setImmediate(resolve));
    abort.abort(reason);
    expect(await ended).toBe(reason);
    while (server.calls().at(-1)?.outcome === null) await new Promise((resolve) => setImmediate(resolve));
    expect(server.calls().at(-1)).toMatchObject({ idempotencyKey: 'key-2' });
  });

  it('is not made when it was aborted before', async () => {
    const before = server.counts().calls;
    const options = { signal: AbortSignal.abort(reason), idempotencyKey: 'key-3' };
    await expect(modelAt(server.baseUrl).generateObject(request, options)).rejects.toBe(reason);
    expect(server.counts().calls).toBe(before);
  });
});

describe('what must stay secret', () => {
  it.each([
    { kind: 'error', status: 401 },
    { kind: 'error', status: 500 },
    { kind: 'broken-json' },
    { kind: 'reset' },
    { kind: 'error-within-200', status: 400 },
  ] as const)('the key and the document are in no error and no log line: %j', async (behaviour) => {
    const error = await failureOf(behaviour);
    const told = [
      String(error),
      error.stack,
      JSON.stringify(error),
      String(error.cause),
      JSON.stringify(logged),
    ].join();
    expect(told).not.toContain(key);
    expect(told).not.toContain('Geneva');
    expect(told).not.toContain('upstream');
  });
});
