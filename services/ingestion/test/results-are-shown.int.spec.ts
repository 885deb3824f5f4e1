import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createObjectStore, objectKey, type ObjectStore } from '@anabranch/object-store';
import { jobSchema, resultSchema } from '../src/jobs/job-schemas.js';
import { recordOutcomes } from './fixtures/record-outcomes.js';
import { analyses, clientOf, Installation, RunningIngestion } from './fixtures/running-ingestion.js';

let installation: Installation;
let ingestion: RunningIngestion;
let tenantId: string;
let client: ReturnType<typeof clientOf>;
let store: ObjectStore;

beforeAll(async () => {
  installation = await Installation.create();
  ingestion = await RunningIngestion.start(installation);
  const { key, ...tenant } = await installation.key();
  tenantId = tenant.tenantId;
  client = clientOf(ingestion, key);
  store = createObjectStore({ objectStoreDir: join(installation.folder, 'objects') });
});

afterAll(async () => {
  await ingestion.stop();
  await installation.remove();
});

const post = async (body: object) => jobSchema.parse(await (await client.postJson(body)).json());
const done = { status: 'DONE' } as const;
const allDone = Object.fromEntries(analyses.map((name) => [name, done]));

/** An outcome whose result is behind a claim check. */
async function claimed(documentId: string, analysis: string, content: string) {
  const key = objectKey({ tenantId, documentId, revision: 1, name: `${analysis}.json` });
  const resultRef = await store.put(key, Buffer.from(content));
  const outcome = { status: 'DONE', result: null, refusal: null, failure: null };
  return { status: 'DONE' as const, change: { resultRef, outcome } };
}

/** Everything that is null, by its path; numbers in lists are left out. */
function nullsIn(value: unknown, path = ''): string[] {
  if (value === null) return [path];
  if (typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    return nullsIn(inner, Array.isArray(value) ? path : `${path}/${name}`);
  });
}

const resultOf = async (path: string) => {
  const response = await client.get(path);
  expect(response.status).toBe(200);
  const text = await response.text();
  expect(response.headers.get('content-length')).toBe(String(Buffer.byteLength(text)));
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  return { text, result: resultSchema.parse(JSON.parse(text)) };
};

describe('a result', () => {
  it('is read from general to special, without what is not there', async () => {
    const { id, links } = await post({ text: 'Plain', documentId: 'plain' });
    await recordOutcomes(installation, id, allDone);
    const { text, result } = await resultOf(links.result);
    expect(Object.keys(result)).toEqual(
      'jobId documentId revision state resultVersion resultDigest final offsets receipt results'.split(' '),
    );
    expect(Object.keys(result.results)).toEqual(analyses);
    expect(nullsIn(result)).toEqual(analyses.map((name) => `/receipt/analyses/${name}/usage`));
    expect(text).toContain('"engine":{"kind":"EMBEDDED","name":');
    expect(text).toContain('"compliance":{"findings":[{"type":"EMAIL","begin":146,"end":168,"score":1,');
    expect(text).toContain('"summary":{"kind":"EXTRACTIVE","text":"Northwind');
    expect(text).toContain('"score":0,"scoreKind":"RANK","evidence":[]}');
  });

  it('says with a null that no label holds, and keeps what it does not know, after what it knows', async () => {
    const { id, links } = await post({ text: 'None', documentId: 'none', analyses: ['classification', 'sentiment'] });
    const unlabelled = {
      label: null,
      reason: 'NO_LABEL_REACHES_THE_THRESHOLD',
      labels: [],
      threshold: 0.5,
      multiLabel: false,
      taxonomy: { version: '1', id: 'default' },
    };
    const outcome = { status: 'DONE', result: unlabelled, refusal: null, failure: null };
    const newer = '{"mood":{"a":null},"evidence":[],"sentences":[],"sentiment":"NEUTRAL","reason":null}';
    await recordOutcomes(installation, id, {
      classification: { status: 'DONE', change: { outcome } },
      sentiment: await claimed('none', 'sentiment', newer),
    });
    const { text } = await resultOf(links.result);
    expect(text).toContain(
      '"results":{"classification":{"taxonomy":{"id":"default","version":"1"},"multiLabel":false,"threshold":0.5,' +
        '"label":null,"reason":"NO_LABEL_REACHES_THE_THRESHOLD","labels":[]},' +
        '"sentiment":{"sentiment":"NEUTRAL","sentences":[],"evidence":[],"mood":{"a":null}}}}',
    );
  });

  it('of a job without outcomes says why, and has no results', async () => {
    const { links } = await post({ text: 'First', documentId: 'twice' });
    await post({ text: 'Second', documentId: 'twice' });
    for (const query of ['', '?offsets=utf-16']) {
      const { result } = await resultOf(`${links.result}${query}`);
      expect(result).toMatchObject({ state: 'superseded', supersededBy: 2, results: {} });
      expect(nullsIn(result)).toEqual([]);
    }
  });
});

describe('offsets', () => {
  // Each character is one code point, and two units of UTF-16; the examples' offsets are all within.
  const text = '😀'.repeat(300);
  const findings = (result: { results: Record<string, unknown> }) => {
    const { findings: found } = result.results.compliance as { findings: { begin: number; end: number }[] };
    return found.map(({ begin, end }) => [begin, end]);
  };

  it('count code points, and units of UTF-16 when asked, in every analysis', async () => {
    const { id, links } = await post({ text, documentId: 'emoji' });
    await recordOutcomes(installation, id, allDone);
    const { text: plain, result } = await resultOf(links.result);
    expect(result.offsets).toBe('code-points');
    expect((await resultOf(`${links.result}?offsets=code-points`)).text).toBe(plain);
    const { text: translated, result: utf16 } = await resultOf(`${links.result}?offsets=utf-16`);
    expect(utf16.offsets).toBe('utf-16');
    expect(findings(utf16)).toEqual(findings(result).map((span) => span.map((offset) => 2 * (offset ?? 0))));
    const doubled = plain
      .replaceAll(/"(begin|end)":(\d+)/g, (_, name: string, offset: string) => `"${name}":${2 * Number(offset)}`)
      .replace('"offsets":"code-points"', '"offsets":"utf-16"');
    expect(translated).toBe(doubled);
  });

  it.each([
    ['in place', 0],
    ['by a worker thread', 300_000],
  ])('are the same when text and results lie in the object store, rendered %s', async (_, length) => {
    const documentId = `stored ${length}`;
    const confidential = { text: text + 'x'.repeat(length), documentId, sensitivity: 'CONFIDENTIAL' };
    const { id, links } = await post({ ...confidential, analyses: ['compliance', 'summary'] });
    const long = JSON.stringify({ sentences: [{ end: 2, begin: 1 }], text: 'y'.repeat(length), kind: 'EXTRACTIVE' });
    await recordOutcomes(installation, id, { compliance: done, summary: await claimed(documentId, 'summary', long) });
    const { result } = await resultOf(links.result);
    const { result: utf16 } = await resultOf(`${links.result}?offsets=utf-16`);
    expect(findings(utf16)).toEqual(findings(result).map((span) => span.map((offset) => 2 * (offset ?? 0))));
    expect(utf16.results.summary).toMatchObject({ sentences: [{ begin: 2, end: 4 }] });
    expect(Object.keys(utf16.results.summary as object)).toEqual(['kind', 'text', 'sentences']);
  });

  it('that lie outside of the text are not guessed', async () => {
    const { id, links } = await post({ text: 'Short.', documentId: 'short', analyses: ['compliance'] });
    await recordOutcomes(installation, id, { compliance: done });
    const response = await client.get(`${links.result}?offsets=utf-16`);
    expect(response.status).toBe(410);
    expect(await response.json()).toMatchObject({ code: 'CONTENT_UNREADABLE', content: 'result of compliance' });
  });

  it('cannot be translated without the text, which is said, and what can be done', async () => {
    const { id, links } = await post({ text, documentId: 'lost', sensitivity: 'RESTRICTED', analyses: ['compliance'] });
    await recordOutcomes(installation, id, { compliance: done });
    await rm(join(installation.folder, 'objects', tenantId), { recursive: true });
    const response = await client.get(`${links.result}?offsets=utf-16`);
    expect(response.status).toBe(410);
    expect(await response.json()).toMatchObject({
      code: 'CONTENT_UNREADABLE',
      reason: 'CONTENT_MISSING',
      content: 'text',
      detail: expect.stringContaining('offsets=code-points'),
    });
    expect((await resultOf(links.result)).result.state).toBe('complete');
  });

  it.each(['offsets=utf-8', 'offsets=', 'offsets=UTF-16', 'offsets=utf-16&offsets=utf-16', 'offset=utf-16'])(
    'are refused in any other unit, with those that there are: %s',
    async (query) => {
      const { links } = await post({ text: 'Any', documentId: 'any' });
      const response = await client.get(`${links.result}?${query}`);
      expect(response.status).toBe(400);
      const { code, detail } = (await response.json()) as { code: string; detail: string };
      expect(code).toBe('INVALID_REQUEST');
      if (query.startsWith('offsets=') && !query.includes('&')) expect(detail).toMatch(/"code-points".*"utf-16"/);
    },
  );
});
