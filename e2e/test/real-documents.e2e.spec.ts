import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, jest } from '@jest/globals';
import { analyses, post, resultOf, submit, submitBytes, textOf, unique, type Result } from '../src/platform.js';
import { dump } from '../src/topics.js';

jest.setTimeout(180_000);

const folder = join(import.meta.dirname, 'documents');
const texts = ['english', 'languages'].flatMap((kind) =>
  readdirSync(join(folder, kind)).map((name) => ({
    name: `${kind}/${name}`,
    bytes: readFileSync(join(folder, kind, name)),
  })),
);

interface Span {
  begin: number;
  end: number;
  text: string;
}

/** Every span of a result that claims a text, wherever it stands. */
const spansOf = (value: unknown): Span[] => {
  if (Array.isArray(value)) return value.flatMap(spansOf);
  if (value === null || typeof value !== 'object') return [];
  const own = value as Partial<Span>;
  const inner = Object.values(value).flatMap(spansOf);
  const isSpan = typeof own.begin === 'number' && typeof own.end === 'number' && typeof own.text === 'string';
  return isSpan ? [own as Span, ...inner] : inner;
};

const expectExactOffsets = async (result: Result): Promise<number> => {
  const codePoints = [...(await textOf(result.jobId))];
  const spans = spansOf(result.results);
  for (const { begin, end, text } of spans) expect(codePoints.slice(begin, end).join('')).toBe(text);
  return spans.length;
};

const english = texts.filter(({ name }) => name.startsWith('english/') || name.endsWith('/eng.txt'));
const foreign = texts.filter((text) => !english.includes(text));

describe('real documents', () => {
  it('are ten English ones and eleven in other languages', () => {
    expect([english.length, foreign.length]).toEqual([10, 11]);
  });

  it.each(english)('$name is done by every analysis, with exact offsets', async ({ bytes }) => {
    const job = await submitBytes(new Uint8Array(bytes), 'text/plain');
    const result = await resultOf(job.id);
    expect(result.state).toBe('complete');
    expect(Object.keys(result.receipt.analyses).sort()).toEqual(analyses);
    expect(await expectExactOffsets(result)).toBeGreaterThan(0);
  });

  it.each(foreign)(
    '$name is partial: English analyses refuse it by name, compliance says what it can do',
    async ({ bytes }) => {
      const job = await submitBytes(new Uint8Array(bytes), 'text/plain');
      const result = await resultOf(job.id);
      expect(result.state).toBe('partial');
      const { compliance, ...others } = result.receipt.analyses;
      expect(compliance).toMatchObject({ outcome: 'done', warnings: [expect.stringContaining('not in English')] });
      expect(Object.keys(others)).toHaveLength(analyses.length - 1);
      for (const outcome of Object.values(others))
        expect(outcome).toMatchObject({ outcome: 'refused', code: 'UNSUPPORTED_LANGUAGE' });
      await expectExactOffsets(result);
    },
  );
});

describe('awkward documents', () => {
  it('one letter a million times settles', async () => {
    const job = await submit({ text: 'a'.repeat(1_000_000), documentId: unique('e2e-one-letter') });
    const result = await resultOf(job.id);
    expect(Object.keys(result.receipt.analyses).sort()).toEqual(analyses);
  });

  it('an empty text is accepted, refused by every analysis with NO_CONTENT, and the job is partial', async () => {
    const result = await resultOf((await submit({ text: '', documentId: unique('e2e-empty') })).id);
    expect(result.state).toBe('partial');
    expect(Object.keys(result.receipt.analyses).sort()).toEqual(analyses);
    for (const outcome of Object.values(result.receipt.analyses))
      expect(outcome).toMatchObject({ outcome: 'refused', code: 'NO_CONTENT' });
  });

  it('a missing text is refused at the door, with what to do', async () => {
    const response = await post('{}', 'application/json');
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ status: 400, detail: expect.stringContaining('text') });
  });

  it('NUL and lone surrogates are cleaned, emoji are counted as one', async () => {
    const job = await submit({
      text: 'Nul\u0000 and \ud800 lone. 😀 wrote to a.b@example.com 👩‍👩‍👧 today.',
      documentId: unique('e2e-nul'),
    });
    const result = await resultOf(job.id);
    const text = await textOf(job.id);
    expect(text).not.toContain('\u0000');
    expect(text.isWellFormed()).toBe(true);
    expect(await expectExactOffsets(result)).toBeGreaterThan(0);
    expect(result.receipt.analyses['compliance']?.coverage?.charactersTotal).toBe([...text].length);
  });

  it('HTML is read as text, without its scripts', async () => {
    const html =
      '<html><head><script>alert("x")</script></head><body><p>Dear <b>reader</b>,</p><p>all is well.</p></body></html>';
    const text = await textOf((await submitBytes(html, 'text/html')).id);
    expect(text).toContain('Dear reader');
    expect(text).not.toContain('alert');
  });

  it('a charset is taken from the header, or found, and the text is the same', async () => {
    const latin = new Uint8Array(Buffer.from('Un café très agréable à Besançon.', 'latin1'));
    const declared = await textOf((await submitBytes(latin, 'text/plain; charset=iso-8859-1')).id);
    const found = await textOf((await submitBytes(latin, 'text/plain')).id);
    expect(declared).toBe('Un café très agréable à Besançon.');
    expect(found).toBe(declared);
  });

  it('an unknown media type is refused with the list of those that are known', async () => {
    const response = await post('x', 'application/x-unknown');
    expect(response.status).toBe(415);
    expect(await response.text()).toContain('text/markdown');
  });
});

describe('the inline limit', () => {
  const sized = (bytes: number): string => 'All is well. '.repeat(Math.ceil(bytes / 13)).slice(0, bytes);

  it('16 KiB travel in the event, one byte more as a claim check, and both complete', async () => {
    const inline = await submit({ text: sized(16_384), documentId: unique('e2e-inline') });
    const claimed = await submit({ text: sized(16_385), documentId: unique('e2e-claimed') });
    expect((await resultOf(inline.id)).state).toBe('complete');
    expect((await resultOf(claimed.id)).state).toBe('complete');
    expect((await textOf(claimed.id)).length).toBe(16_385);

    const events = await dump('document.ingested');
    const eventOf = (id: string) => events.find((record) => record.event['jobId'] === id)!.event;
    expect(eventOf(inline.id)).toMatchObject({ text: sized(16_384), textRef: null });
    expect(eventOf(claimed.id)).toMatchObject({ text: null, textRef: { bytes: 16_385 } });
  });
});
