/** Offsets from `begin` on, up to but not including `end`, that are all finished. */
export interface Stretch {
  readonly begin: number;
  readonly end: number;
}

/** A broker takes 4,096 UTF-16 units of metadata per committed offset, unless it is configured otherwise. */
const maxCharacters = 4_000;

/** Says whose metadata it is, and in which form. */
const prefix = 'ab1:';

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const valuesOf = new Map(digits.split('').map((digit, value) => [digit, value]));

export interface EncodedStretches {
  /** Empty when there is nothing to carry. */
  readonly text: string;
  /** How many finished offsets did not fit. */
  readonly dropped: number;
}

/**
 * Packs the finished stretches above a committed offset into its metadata: the distance to each one and its length, five
 * bits a character, lowest first, as in source maps. A thousand stretches with short gaps take two thousand characters.
 */
export function encodeStretches(offset: number, stretches: Iterable<Stretch>): EncodedStretches {
  let text = '';
  let dropped = 0;
  let position = offset;
  for (const { begin, end } of stretches) {
    const pair = encodeNumber(begin - position) + encodeNumber(end - begin);
    // What lies further up waits for what is below it anyway: the lowest stretches are worth the most.
    if (dropped > 0 || prefix.length + text.length + pair.length > maxCharacters) dropped += end - begin;
    else text += pair;
    position = end;
  }
  return { text: text === '' ? '' : prefix + text, dropped };
}

/** The stretches that were committed with an offset. Metadata of somebody else, or a damaged one, says nothing. */
export function decodeStretches(offset: number, metadata: string | null | undefined): Stretch[] {
  if (!metadata?.startsWith(prefix)) return [];
  const numbers = decodeNumbers(metadata.slice(prefix.length));
  if (numbers === undefined || numbers.length % 2 !== 0) return [];
  const stretches: Stretch[] = [];
  let position = offset;
  for (let index = 0; index < numbers.length; index += 2) {
    const begin = position + (numbers[index] as number);
    position = begin + (numbers[index + 1] as number);
    stretches.push({ begin, end: position });
  }
  return stretches;
}

function encodeNumber(number: number): string {
  let text = '';
  let rest = number;
  do {
    const more = rest >= 32 ? 32 : 0;
    text += digits[(rest % 32) + more];
    // Not by shifting: an offset may have more than 32 bits.
    rest = Math.floor(rest / 32);
  } while (rest > 0);
  return text;
}

/** Undefined when it is no list of numbers. */
function decodeNumbers(text: string): number[] | undefined {
  const numbers: number[] = [];
  let number = 0;
  let scale = 1;
  for (const digit of text) {
    const value = valuesOf.get(digit);
    if (value === undefined) return undefined;
    number += (value % 32) * scale;
    if (!Number.isSafeInteger(number)) return undefined;
    scale *= 32;
    if (value >= 32) continue;
    numbers.push(number);
    number = 0;
    scale = 1;
  }
  return scale === 1 ? numbers : undefined;
}
