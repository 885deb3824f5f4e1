import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { createResultRenderer, type RenderRequest } from '../src/jobs/result-renderer.js';
import type { StoredResults } from '../src/jobs/render-results.js';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const requestOf = (stored: StoredResults, bytes = 1): RenderRequest => ({ bytes, read: () => Promise.resolve(stored) });

/** What both ways answer, with texts in the place of bytes. */
async function renderedBy(inlineMaxBytes: number, stored: StoredResults) {
  const answer = await createResultRenderer({ inlineMaxBytes })(requestOf(stored));
  if ('unreadable' in answer) return answer;
  return answer.rendered.map(({ analysis, json }) => [
    analysis,
    typeof json === 'string' ? json : Buffer.from(json).toString(),
  ]);
}

const finding = { hmac: null, end: 3, begin: 2, type: 'EMAIL' };
const results = () => [
  { analysis: 'compliance', value: { findings: [finding] } },
  { analysis: 'summary', json: bytesOf('{"text":"ü😀","kind":"EXTRACTIVE","sentences":[{"end":3,"begin":0}]}') },
];

describe.each([
  ['on the spot', 1],
  ['in a worker thread', 0],
])('results that are rendered %s', (_, inlineMaxBytes) => {
  it('are in order, from Postgres or the object store', async () => {
    expect(await renderedBy(inlineMaxBytes, { results: results(), text: null })).toEqual([
      ['compliance', '{"findings":[{"type":"EMAIL","begin":2,"end":3}]}'],
      ['summary', '{"kind":"EXTRACTIVE","text":"ü😀","sentences":[{"begin":0,"end":3}]}'],
    ]);
  });

  it.each([
    ['a string', 'ü😀x'],
    ['bytes', bytesOf('ü😀x')],
    ['bytes that nobody has cleaned', bytesOf('\u0000ü\u0000😀x')],
  ])('have offsets in UTF-16 by a text of %s', async (__, text) => {
    expect(await renderedBy(inlineMaxBytes, { results: results(), text })).toEqual([
      ['compliance', '{"findings":[{"type":"EMAIL","begin":3,"end":4}]}'],
      ['summary', '{"kind":"EXTRACTIVE","text":"ü😀","sentences":[{"begin":0,"end":4}]}'],
    ]);
  });

  it('are named when they are no JSON, or have offsets outside of the text, and not quoted', async () => {
    const secret = [{ analysis: 'summary', json: bytesOf('secret') }];
    expect(await renderedBy(inlineMaxBytes, { results: secret, text: null })).toEqual({ unreadable: 'summary' });
    expect(await renderedBy(inlineMaxBytes, { results: results(), text: 'ü' })).toEqual({ unreadable: 'compliance' });
  });
});

describe('large results', () => {
  it('take memory of others with them, unless it is shared', async () => {
    const own = bytesOf('{"a":1}');
    const shared = Buffer.from(new Uint8Array(100).buffer, 10, 2).fill('{}');
    const stored = { results: [own, shared].map((json) => ({ analysis: 'x', json })), text: null };
    const answer = await createResultRenderer({ inlineMaxBytes: 0 })(requestOf(stored));
    expect(answer).toMatchObject({ rendered: [{ json: bytesOf('{"a":1}') }, { json: bytesOf('{}') }] });
    expect([own.byteLength, shared.byteLength]).toEqual([0, 2]);
  });

  it('are not even read before a thread is free', async () => {
    const render = createResultRenderer({ inlineMaxBytes: 0, maxWorkers: 1 });
    const none: StoredResults = { results: [], text: null };
    const first = Promise.withResolvers<StoredResults>();
    const reads: string[] = [];
    const read = (name: string, stored: Promise<StoredResults>): RenderRequest['read'] => {
      return () => {
        reads.push(name);
        return stored;
      };
    };
    const both = [
      render({ bytes: 1, read: read('first', first.promise) }),
      render({ bytes: 1, read: read('second', Promise.resolve(none)) }),
    ];
    await setImmediate();
    expect(reads).toEqual(['first']);
    first.resolve(none);
    expect(await Promise.all(both)).toEqual([{ rendered: [] }, { rendered: [] }]);
    expect(reads).toEqual(['first', 'second']);
  });

  it('fail as their reading fails, and with the time that they may take', async () => {
    const gone = new Error('gone');
    const render = createResultRenderer({ inlineMaxBytes: 0 });
    await expect(render({ bytes: 1, read: () => Promise.reject(gone) })).rejects.toBe(gone);
    const hasty = createResultRenderer({ inlineMaxBytes: 0, timeoutMs: 0 });
    await expect(hasty(requestOf({ results: results(), text: null }))).rejects.toMatchObject({ name: 'AbortError' });
  });
});
