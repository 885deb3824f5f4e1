import { describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import fc from 'fast-check';
import { cleanText, isBlank, textSha256 } from '../src/index.js';

const dirtyText = fc
  .string({ unit: 'binary', maxLength: 200 })
  .chain((text) =>
    fc
      .array(
        fc.constantFrom('\0', '\f', '\v', '\u007f', '\ud83d', '\ude00', '\r\n', 'e\u0301', '\u05d0', '😀', '\u001b'),
      )
      .map((noise) => noise.join(text.slice(0, 3)) + text),
  );

describe('cleanText', () => {
  it('gives the same text again when it is cleaned twice', () => {
    fc.assert(fc.property(dirtyText, (raw) => cleanText(cleanText(raw)) === cleanText(raw)));
  });

  it('leaves no NUL, no lone surrogate and no control character but tab, CR and LF', () => {
    fc.assert(
      fc.property(dirtyText, (raw) => {
        const cleaned = cleanText(raw);
        const codes = Array.from(cleaned, (character) => character.codePointAt(0) ?? 0);
        return cleaned.isWellFormed() && codes.every((code) => code > 0x1f || [9, 10, 13].includes(code));
      }),
    );
  });

  it('survives the trip through UTF-8 unchanged', () => {
    fc.assert(fc.property(dirtyText, (raw) => Buffer.from(cleanText(raw), 'utf8').toString('utf8') === cleanText(raw)));
  });

  it.each([
    ['keeps line ends as they are', 'a\r\nb\rc\nd\te', 'a\r\nb\rc\nd\te'],
    ['drops NUL', 'a\0b', 'ab'],
    ['turns a page break into a line end, so that words stay apart', 'one\ftwo', 'one\ntwo'],
    ['replaces each lone surrogate, also when only a NUL parts two halves', '\ud83d\0\ude00', '\ufffd\ufffd'],
    ['keeps emoji, combining marks, bidi marks and C1', '😀e\u0301\u200f\u0085', '😀e\u0301\u200f\u0085'],
    ['keeps a clean text', 'plain', 'plain'],
  ])('%s', (_promise, raw, cleaned) => {
    expect(cleanText(raw)).toBe(cleaned);
  });
});

/** The definition, as long as a text is short enough for it. */
function cleanedByDefinition(raw: string): string {
  return raw.toWellFormed().replaceAll(/\p{Cc}/gu, (character) => {
    if (character === '\t' || character === '\n' || character === '\r' || character >= '\u0080') return character;
    return character === '\f' || character === '\v' ? '\n' : '';
  });
}

describe('cleaning in slices', () => {
  // Repeated past several slices, with a shift, so that every slice ends somewhere else in the text.
  const longText = fc.tuple(dirtyText, fc.integer({ min: 1, max: 70_000 })).map(([text, length]) => {
    const repeats = Math.ceil((2 * length) / Math.max(1, text.length));
    return text.repeat(repeats);
  });

  it('gives what its definition gives, wherever a slice ends', () => {
    fc.assert(fc.property(dirtyText, (raw) => cleanText(raw) === cleanedByDefinition(raw)));
    fc.assert(
      fc.property(longText, (raw) => {
        const cleaned = cleanText(raw);
        return cleaned === cleanedByDefinition(raw) && cleanText(cleaned) === cleaned;
      }),
      { numRuns: 50 },
    );
  });

  it('parts no surrogate pair at the end of a slice', () => {
    const raw = `a${'😀'.repeat(40_000)}\0`;
    expect(cleanText(raw) === raw.slice(0, -1)).toBe(true);
  });
});

describe('the largest document that is accepted', () => {
  const bytes = 10_485_760;

  it.each([
    ['line ends', '\n', '\n'],
    ['NUL', '\0', ''],
    ['letters between NUL', 'a\0', 'a'],
    ['page breaks', '\f', '\n'],
    ['short lines', 'ab\n', 'ab\n'],
  ])('is cleaned within a small heap when it is all %s', async (_, unit, cleaned) => {
    const count = Math.floor(bytes / unit.length);
    const answer = await cleanInSmallHeap(unit, count);
    expect(answer).toBe(textSha256(cleaned.repeat(count)));
  });
});

describe('textSha256', () => {
  it('is the lower-case hex SHA-256 of the UTF-8 bytes', () => {
    expect(textSha256('')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
    expect(textSha256('é')).toBe('4a99557e4033c3539de2eb65472017cad5f9557f7a0625a09f1c3f6e2ba69c4c');
  });
});

/** A worker has a heap limit of its own: what needs more ends the worker, and not this process. */
async function cleanInSmallHeap(unit: string, count: number): Promise<string> {
  const module = new URL('../src/clean-text.ts', import.meta.url).href;
  const program = `
    const { parentPort, workerData: { module, unit, count } } = require('node:worker_threads');
    import(module).then(({ cleanText, textSha256 }) => parentPort.postMessage(textSha256(cleanText(unit.repeat(count)))));
  `;
  const resourceLimits = { maxOldGenerationSizeMb: 96 };
  const worker = new Worker(program, { eval: true, workerData: { module, unit, count }, resourceLimits });
  const [answer] = (await once(worker, 'message')) as [string];
  return answer;
}

describe('isBlank', () => {
  it.each(['', ' \r\n\t', '\u00a0\u2003', '\u200b\u200f\ufeff'])('has nothing to analyse in %j', (text) => {
    expect(isBlank(text)).toBe(true);
  });

  it.each(['a', ' . ', '\u200f\u05d0', '😀'])('has something to analyse in %j', (text) => {
    expect(isBlank(text)).toBe(false);
  });
});
