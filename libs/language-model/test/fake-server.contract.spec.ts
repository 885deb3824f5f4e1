import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { answerFor, documentIn, type FakeServer, slowDelayMs, startFakeServer } from '../src/testing/index.js';

const folder = mkdtempSync(join(tmpdir(), 'anabranch-'));
const logFile = join(folder, 'calls.jsonl');
let server: FakeServer;
let origin: string;

beforeAll(async () => {
  server = await startFakeServer({ logFile });
  origin = new URL(server.baseUrl).origin;
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

const call = (key: string, content = 'Hello.') =>
  fetch(`${server.baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { 'idempotency-key': key },
    body: JSON.stringify({ model: 'small', messages: [{ role: 'user', content }] }),
  });
const put = (script: object) => fetch(`${origin}/script`, { method: 'PUT', body: JSON.stringify(script) });

describe('the count', () => {
  it('is per idempotency key, over HTTP and in a file, and begins anew when it is cleared', async () => {
    await fetch(`${origin}/calls`, { method: 'DELETE' });
    for (const key of ['a', 'b', 'a']) expect((await call(key)).status).toBe(200);
    expect(await (await fetch(`${origin}/counts`)).json()).toEqual({
      calls: 3,
      keys: 2,
      mostPerKey: 2,
      perKey: { a: 2, b: 1 },
      outcomes: { answer: 3 },
    });
    const lines = (await (await fetch(`${origin}/calls`)).text()).trim().split('\n');
    const calls = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(calls.map(({ idempotencyKey }) => idempotencyKey)).toEqual(['a', 'b', 'a']);
    expect(new Set(calls.map(({ requestSha256 }) => requestSha256)).size).toBe(1);
    expect(readFileSync(logFile, 'utf8').trim().split('\n')).toHaveLength(6);
    await fetch(`${origin}/calls`, { method: 'DELETE' });
    expect(server.counts()).toMatchObject({ calls: 0, mostPerKey: 0 });
  });

  it('holds calls that failed, and those that are under way', async () => {
    server.follow({ next: [{ kind: 'error', status: 500 }, { kind: 'hang' }] });
    expect((await call('failed')).status).toBe(500);
    const abort = new AbortController();
    const url = `${server.baseUrl}/chat/completions`;
    const hanging = fetch(url, { method: 'POST', body: '{}', signal: abort.signal }).catch(() => 'aborted');
    while (server.counts().calls < 2) await new Promise((resolve) => setImmediate(resolve));
    expect(server.counts().outcomes).toEqual({ 'error 500': 1, 'under way': 1 });
    abort.abort();
    expect(await hanging).toBe('aborted');
  });
});

describe('the script', () => {
  it('is what comes next, then what a document’s rule says, then what it always does', async () => {
    await put({
      next: [{ kind: 'error', status: 503 }],
      rules: [{ contains: 'angry', behaviour: { kind: 'error', status: 429, retryAfter: '7' } }],
    });
    expect((await call('1', 'angry')).status).toBe(503);
    const limited = await call('2', 'angry');
    expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '7']);
    expect((await call('3', 'calm')).status).toBe(200);
  });

  it('is refused when it is none', async () => {
    expect((await put({ always: { kind: 'dance' } })).status).toBe(400);
  });
});

describe('answers', () => {
  const schema = z.object({
    sentiment: z.enum(['POSITIVE', 'NEGATIVE']),
    score: z.number().min(0).max(1),
    rank: z.int().min(1).max(10),
    note: z.string().nullable(),
    certain: z.boolean(),
    summary: z.string().describe('A sentence of the document.'),
    names: z.array(z.object({ text: z.string() })).min(1),
  });
  const document = 'The committee met in Geneva. Maria Lopez spoke first.';

  it('are what the schema accepts, and quote the document', () => {
    const answer = schema.parse(answerFor(z.toJSONSchema(schema) as never, document));
    expect(answerFor(z.toJSONSchema(schema) as never, document)).toEqual(answer);
    expect(document).toContain(answer.summary);
    expect(answer.names).toHaveLength(2);
    for (const { text } of answer.names) expect(document).toContain(text);
  });

  it('are about what stands between the fences of a prompt', () => {
    expect(documentIn('Before.\n<<<DOCUMENT a1>>>\none\ntwo\n<<<END a1>>>\nAfter.')).toBe('one\ntwo');
    expect(documentIn('no fence')).toBe('no fence');
  });
});

describe('slow answers', () => {
  const slow = { p50Ms: 3_000, p95Ms: 15_000, capMs: 60_000, scale: 1, seed: 'seed' };
  const delays = Array.from({ length: 4_000 }, (_, index) => slowDelayMs(slow, `request ${index}`)).sort(
    (a, b) => a - b,
  );

  it('are log-normal: half within 3 s, 95 of a hundred within 15 s, none above 60 s', () => {
    expect(delays[2_000]).toBeGreaterThan(2_700);
    expect(delays[2_000]).toBeLessThan(3_300);
    expect(delays[3_800]).toBeGreaterThan(13_000);
    expect(delays[3_800]).toBeLessThan(17_000);
    expect(delays.at(-1)).toBe(60_000);
  });

  it('take the same time for the same seed and request, and are scaled', () => {
    expect(slowDelayMs(slow, 'one')).toBe(slowDelayMs(slow, 'one'));
    expect(slowDelayMs({ ...slow, seed: 'other' }, 'one')).not.toBe(slowDelayMs(slow, 'one'));
    expect(slowDelayMs({ ...slow, scale: 0.1 }, 'one')).toBeCloseTo(slowDelayMs(slow, 'one') / 10);
  });
});

describe('the server as a process', () => {
  it('says where it listens, answers, and ends when it is told to', async () => {
    const hooks = new URL('../../analysis-runtime/src/testing/source-hooks.ts', import.meta.url);
    const entry = new URL('../src/testing/run-fake-server.ts', import.meta.url);
    const options = ['--conditions=@anabranch/source', '--disable-warning=ExperimentalWarning'];
    const args = [...options, `--import=${hooks.href}`, entry.pathname, '--slow', '0.0001'];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    const { baseUrl } = JSON.parse(line.toString()) as { baseUrl: string };
    const response = await fetch(`${baseUrl}/chat/completions`, { method: 'POST', body: '{}' });
    expect(response.status).toBe(200);
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  }, 30_000);
});
