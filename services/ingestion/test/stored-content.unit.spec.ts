import { describe, expect, it } from '@jest/globals';
import { PoisonMessage, DependencyUnavailable } from '@anabranch/failures';
import { Problem } from '../src/http/problem.js';
import { readResults, readText, readTextOfOffsets } from '../src/jobs/stored-content.js';

const ref = { key: 'acme/d/1/text', sha256: '0', bytes: 3 };
const text = { text: null, textRef: ref, textSha256: '', mediaType: 'text/plain', charset: null };
const storeOf = (content: string | Error) => ({
  get: () => (content instanceof Error ? Promise.reject(content) : Promise.resolve(Buffer.from(content))),
});

async function problemOf(reading: Promise<unknown>): Promise<Problem> {
  const error = await reading.then(
    () => new Error('No problem was thrown.'),
    (reason: unknown) => reason,
  );
  if (error instanceof Problem) return error;
  throw error;
}

describe('content in the object store', () => {
  it('is read, and a text is cleaned: nobody may have done it', async () => {
    expect(await readText(storeOf('a\0b'), 'acme', text)).toBe('ab');
    expect(await readText(storeOf(new Error('not read')), 'acme', { ...text, text: 'x', textRef: null })).toBe('x');
    const bytes = Buffer.from('{"a":1}');
    const results = { results: { sentiment: { b: 2 } }, resultRefs: { summary: ref, compliance: ref } };
    expect(await readResults(storeOf('{"a":1}'), 'acme', results)).toEqual([
      { analysis: 'compliance', json: bytes },
      { analysis: 'sentiment', value: { b: 2 } },
      { analysis: 'summary', json: bytes },
    ]);
  });

  it('is given back untouched when it is known to be clean', async () => {
    const clean = { ...text, textSha256: ref.sha256 };
    expect(await readText(storeOf('as it is'), 'acme', clean)).toEqual(Buffer.from('as it is'));
  });

  it.each(['CONTENT_MISSING', 'CONTENT_MISMATCH'] as const)('that is %s is gone, with what to do', async (reason) => {
    const store = storeOf(new PoisonMessage(reason, 'There is no object acme/secret.'));
    const readings: [string, Promise<unknown>][] = [
      ['text', readText(store, 'acme', text)],
      ['text', readTextOfOffsets(store, 'acme', text)],
      ['result of summary', readResults(store, 'acme', { results: {}, resultRefs: { summary: ref } })],
    ];
    for (const [content, reading] of readings) {
      const problem = await problemOf(reading);
      expect(problem).toMatchObject({ code: 'CONTENT_UNREADABLE', status: 410 });
      expect(problem.toBody('/')).toMatchObject({ reason, content });
      expect(problem.detail).toContain('send the document again');
      expect(JSON.stringify(problem.toBody('/'))).not.toContain('secret');
    }
  });

  it('is not needed for offsets in code points, which the problem says', async () => {
    const gone = storeOf(new PoisonMessage('CONTENT_MISSING', 'There is no object.'));
    const problem = await problemOf(readTextOfOffsets(gone, 'acme', text));
    expect(problem.detail).toContain('offsets=code-points');
    expect((await problemOf(readText(gone, 'acme', text))).detail).not.toContain('offsets');
  });

  it('is not called gone while the store is down', async () => {
    const down = new DependencyUnavailable('object-store', 'down');
    await expect(readText(storeOf(down), 'acme', text)).rejects.toBe(down);
  });
});
