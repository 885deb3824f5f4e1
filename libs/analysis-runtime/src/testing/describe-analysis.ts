import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterAll, describe, expect, it } from '@jest/globals';
import {
  type AnalysisFinishedInput,
  analysisTopic,
  createDecoder,
  encodeValue,
  outcomeIdOf,
  topics,
} from '@anabranch/contracts';
import { PoisonMessage } from '@anabranch/failures';
import { createObjectStore } from '@anabranch/object-store';
import { cleanText, countCodePoints, textSha256 } from '@anabranch/text';
import fc from 'fast-check';
import { longTextLength } from '../document-analyser.js';
import type { AnyAnalysis } from '../define-analysis.js';
import { wholeText } from '../outcome.js';
import { longestBlockMs } from './event-loop.js';
import { createHarness, ingestedRecord } from './harness.js';
import { claimsIn, codePoints } from './offsets.js';

export interface AnalysisFixtures {
  /** A document of some sentences that the analysis has something to say about. */
  text: string;
  /** The analysis' settings, when they have no defaults. */
  config?: object;
}

// What breaks offsets: astral characters, marks that combine, text that runs the other way, line ends of two units.
const hostileFragments = [
  '😀', '👩‍👩‍👧 ', 'e\u0301', ' \u05e9\u05dc\u05d5\u05dd. ', '\u200f', '\r\n', '\r\n\r\n', '\u0000', '\ud83d', '𝕏 ', '。', '\t', ' ',
]; // prettier-ignore

/** Texts of the fixture's words and sentences, mixed with what breaks offsets. */
const hostileText = (text: string): fc.Arbitrary<string> => {
  const words = text.split(/(?<=\s)/).slice(0, 200);
  const sentences = text.split(/(?<=[.!?]\s)/).slice(0, 50);
  const fragment = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...words) },
    { weight: 2, arbitrary: fc.constantFrom(...sentences) },
    { weight: 3, arbitrary: fc.constantFrom(...hostileFragments) },
  );
  return fc.array(fragment, { minLength: 1, maxLength: 60 }).map((parts) => `a ${parts.join('')}`);
};

// Three turns go into reading a long text; then the engine is at work, for many turns.
const turnsBeforeAbort = 6;
const megabyte = 1_000_000;
const hostileDocuments: readonly (readonly [name: string, text: string])[] = [
  ['1 MB of one letter', 'a'.repeat(megabyte)],
  ['1 MB without a space', 'qwertzuiopasdfghjklyxcvbnm'.repeat(megabyte / 26)],
  ['1 MB of emoji', '😀'.repeat(megabyte / 4)],
  ['1 MB of capitals and stops', 'A. '.repeat(megabyte / 3)],
  ['1 MB of invisible and bidirectional marks', 'a\u200b\u202eb '.repeat(megabyte / 5)],
];

const maxBlockMs = 50;
const slowTestMs = 30_000;

/** Wall time on a shared machine lies upwards only: one of a few runs below the limit shows that it can be kept. */
const bestOf = async (runs: number, measure: () => Promise<number>): Promise<number> => {
  let best = Infinity;
  for (let run = 0; run < runs && best >= maxBlockMs; run += 1) best = Math.min(best, await measure());
  return best;
};

/** The promises that every analysis keeps, whatever it finds. One suite for all of them. */
export function describeAnalysis(definition: AnyAnalysis, { text, config }: AnalysisFixtures): void {
  const folder = mkdtempSync(join(tmpdir(), 'anabranch-'));
  const store = createObjectStore({ objectStoreDir: folder });
  const harness = (changes: Partial<AnyAnalysis> = {}) =>
    createHarness({ ...definition, ...changes }, config === undefined ? { store } : { store, config });
  const longText = text.repeat(Math.ceil((2 * megabyte) / text.length));

  describe(`${definition.name}: the contract of all analyses`, () => {
    afterAll(() => rmSync(folder, { recursive: true }));

    it('gives a result that its schema accepts and returns unchanged', async () => {
      const topic = analysisTopic(definition.name);
      const event = await harness().outcomeOf({ text });
      const value = encodeValue(topic, event, 1);
      const schema = topics[topic].versions.at(-1)?.schema ?? '';
      const decoded = createDecoder(topic).decode(1, schema, value.subarray(5));
      expect(JSON.parse(JSON.stringify(decoded))).toEqual(JSON.parse(JSON.stringify(event)));
      expect(decoded.outcome).toMatchObject({ status: 'DONE', refusal: null, failure: null });
      expect(decoded.outcome.result).not.toBeNull();
    });

    it('says whose outcome it is, who made it, and that it rests on the whole text', async () => {
      const subject = harness();
      await subject.handle(ingestedRecord({ text, language: 'en', correlationId: 'request-1' }));
      const [{ topic, event } = { topic: '', event: undefined }] = subject.published;
      const jobId = event?.jobId ?? '';
      const characters = countCodePoints(text);
      expect(topic).toBe(`analysis.${definition.name}.finished`);
      expect(event).toMatchObject({
        eventId: outcomeIdOf({ jobId, analysis: definition.name, run: 1, status: 'DONE' }),
        documentId: 'document-1',
        correlationId: 'request-1',
        language: 'en',
        textSha256: textSha256(text),
        engine: definition.engine,
        coverage: { charactersRead: characters, charactersTotal: characters, truncated: false },
        usage: null,
      });
    });

    it.each([
      ['an empty text', ''],
      ['white space', ' \r\n\t\u00a0'],
      ['control characters only', '\u0000\u0000'],
    ])('refuses %s with NO_CONTENT', async (_name, blank) => {
      const event = await harness().outcomeOf({ text: blank });
      expect(event.outcome).toMatchObject({ status: 'REFUSED', refusal: { code: 'NO_CONTENT' } });
      expect(event.textSha256).toBe(textSha256(cleanText(blank)));
    });

    it('names the failure when a text is larger than the limit, and publishes it once it is dead-lettered', async () => {
      const subject = harness({ maxCharacters: 10 });
      const record = ingestedRecord({ text: 'x'.repeat(11) });
      const error = await subject.handle(record).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(PoisonMessage);
      expect(error).toMatchObject({ code: 'TEXT_TOO_LARGE' });
      expect(subject.published).toEqual([]);
      await subject.settle(record, error);
      expect(subject.published.map(({ event }) => event.outcome)).toMatchObject([
        { status: 'FAILED', failure: { code: 'TEXT_TOO_LARGE', attempts: 1 } },
      ]);
    });

    it('accepts a text of exactly the limit, counted in code points', async () => {
      const event = await harness({ maxCharacters: 10 }).outcomeOf({ text: '😀'.repeat(10) });
      expect(event.outcome.status).toBe('DONE');
    });

    it('gives a byte-identical result for the same input', async () => {
      const bytes = (event: AnalysisFinishedInput): Buffer => encodeValue(analysisTopic(definition.name), event, 1);
      const one = await harness().outcomeOf({ text, documentId: 'twin' });
      const other = await harness().outcomeOf({ text, documentId: 'twin' });
      expect(bytes(one).equals(bytes(other))).toBe(true);
    });

    it('claims exactly what stands at its offsets, in code points', async () => {
      const subject = harness();
      const holds = async (raw: string): Promise<void> => {
        const event = await subject.outcomeOf({ text: raw });
        const cleaned = cleanText(raw);
        for (const claim of claimsIn(event.outcome.result)) {
          expect(claim.begin).toBeGreaterThanOrEqual(0);
          expect(claim.end).toBeGreaterThan(claim.begin);
          expect(claim.end).toBeLessThanOrEqual(countCodePoints(cleaned));
          if (claim.text !== undefined) expect(codePoints(cleaned, claim)).toBe(claim.text);
        }
      };
      const plain = await subject.outcomeOf({ text });
      expect(claimsIn(plain.outcome.result).length).toBeGreaterThan(0);
      await holds(text);
      await fc.assert(fc.asyncProperty(hostileText(text), holds), { numRuns: 60 });
    });

    it('stops soon when it is aborted in the middle, and publishes nothing', async () => {
      const subject = harness();
      const abort = new AbortController();
      const reason = new Error('the partition was lost');
      const record = ingestedRecord({ text: longText });
      const handled = subject.handle(record, abort.signal).catch((thrown: unknown) => thrown);
      for (let turn = 0; turn < turnsBeforeAbort; turn += 1) await setImmediate();
      const abortedAt = performance.now();
      abort.abort(reason);
      expect(await handled).toBe(reason);
      expect(performance.now() - abortedAt).toBeLessThan(500);
      expect(subject.published).toEqual([]);
    });

    it('does not begin when it is aborted before', async () => {
      const subject = harness();
      const handled = subject.handle(ingestedRecord({ text }), AbortSignal.abort(new Error('stopping')));
      await expect(handled).rejects.toThrow('stopping');
      expect(subject.published).toEqual([]);
    });

    it.each(hostileDocuments)(
      'is done with %s in two seconds and never holds the event loop for 50 ms',
      async (_name, hostile) => {
        const subject = harness();
        // The thread for long documents starts once, for all of them.
        await subject.outcomeOf({ text: longText.slice(0, longTextLength + 1) });
        const before = process.cpuUsage().user;
        const block = await bestOf(3, () => longestBlockMs(() => subject.outcomeOf({ text: hostile })));
        const runs = subject.published.length - 1;
        expect(block).toBeLessThan(maxBlockMs);
        expect((process.cpuUsage().user - before) / 1_000 / runs).toBeLessThan(2_000);
        expect(subject.published.every(({ event }) => event.outcome.status === 'DONE')).toBe(true);
      },
      slowTestMs,
    );

    it(
      'never holds the event loop for 50 ms over a document just short enough for this thread',
      async () => {
        const subject = harness();
        const block = await bestOf(3, () =>
          longestBlockMs(() => subject.outcomeOf({ text: longText.slice(0, longTextLength) })),
        );
        expect(block).toBeLessThan(maxBlockMs);
      },
      slowTestMs,
    );

    it(
      'says the same about a long document in a thread of its own as on the main one',
      async () => {
        const document = { text: longText.slice(0, 2 * longTextLength), documentId: 'twin' };
        const inThread = await harness().outcomeOf(document);
        const onMain = await harness({ module: undefined }).outcomeOf(document);
        expect(inThread).toEqual(onMain);
        expect(inThread.coverage).toMatchObject(wholeText(countCodePoints(document.text)));
        expect(inThread.outcome.status).toBe('DONE');
      },
      slowTestMs,
    );

    it(
      'never holds the event loop for 50 ms over a long document with much to find in it',
      async () => {
        const subject = harness();
        const block = await bestOf(3, () => longestBlockMs(() => subject.outcomeOf({ text: longText })));
        expect(block).toBeLessThan(maxBlockMs);
      },
      slowTestMs,
    );
  });
}
