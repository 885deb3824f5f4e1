import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { chunkSpans, sentenceSpans } from '../src/index.js';

const chunks = (text: string, maxLength: number): string[] =>
  Array.from(chunkSpans(text, maxLength), ({ begin, end }) => text.slice(begin, end));

describe('chunks', () => {
  it('end between sentences', () => {
    expect(chunks('One came. Two left. Three stayed.', 20)).toEqual(['One came. Two left.', 'Three stayed.']);
  });

  it('end with a paragraph when one is near', () => {
    const text = 'One came early. Two left soon.\n\nI stay. Four did.';
    expect(chunks(text, 40)).toEqual(['One came early. Two left soon.', 'I stay. Four did.']);
    expect(chunks(text.replace('\n\n', '  '), 40)[0]).toBe('One came early. Two left soon.  I stay.');
  });

  it('end with a paragraph when the next one does not fit', () => {
    expect(chunks('One came.\n\nTwo left.', 12)).toEqual(['One came.', 'Two left.']);
  });

  it('are one when all fits, and none when there is nothing', () => {
    expect(chunks('One came. Two left.', 100)).toEqual(['One came. Two left.']);
    expect(chunks(' \n ', 100)).toEqual([]);
  });

  it('hold every sentence once, in order, and none is longer than allowed unless it is one sentence', () => {
    const sentence = fc.constantFrom('One came. ', 'Dr. Two left!\n\n', 'Three 😀 stayed?\n', 'x'.repeat(40), ' Yes. ');
    fc.assert(
      fc.property(fc.array(sentence, { maxLength: 60 }), fc.integer({ min: 10, max: 200 }), (parts, maxLength) => {
        const text = parts.join('');
        const sentences = [...sentenceSpans(text)];
        const spans = [...chunkSpans(text, maxLength)];
        const held = spans.map(({ begin, end }) => sentences.filter((span) => span.begin >= begin && span.end <= end));
        expect(held.flat()).toEqual(sentences);
        for (const [index, { begin, end }] of spans.entries()) {
          if (end - begin > maxLength) expect(held[index]).toHaveLength(1);
        }
      }),
    );
  });
});
