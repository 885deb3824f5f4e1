/**
 * Translates between UTF-16 indexes (JavaScript strings) and Unicode code points (results), both from 0.
 * An index inside a surrogate pair counts as the pair's begin. Both ways throw a RangeError outside the text.
 */
export interface Offsets {
  /** Length of the text in code points. */
  readonly length: number;
  toCodePoint(utf16: number): number;
  toUtf16(codePoint: number): number;
}

const isPairAt = (text: string, index: number): boolean => {
  const first = text.charCodeAt(index);
  if (first < 0xd800 || first > 0xdbff) return false;
  const second = text.charCodeAt(index + 1);
  return second >= 0xdc00 && second <= 0xdfff;
};

// Most texts have none, and most of those are held in bytes, where this looks at nothing.
const highSurrogate = /[\ud800-\udbff]/;

const countPairs = (text: string): number => {
  if (!highSurrogate.test(text)) return 0;
  let count = 0;
  for (let index = 0; index + 1 < text.length; index += 1) {
    if (!isPairAt(text, index)) continue;
    count += 1;
    index += 1;
  }
  return count;
};

const pairStarts = (text: string): Uint32Array => {
  const starts = new Uint32Array(countPairs(text));
  for (let index = 0, found = 0; found < starts.length; index += 1) {
    if (!isPairAt(text, index)) continue;
    starts[found] = index;
    found += 1;
    index += 1;
  }
  return starts;
};

/** How many of the ascending `keyOf(0…size-1)` are below the value. */
const countBelow = (size: number, keyOf: (index: number) => number, value: number): number => {
  let low = 0;
  let high = size;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (keyOf(middle) < value) low = middle + 1;
    else high = middle;
  }
  return low;
};

const requireWithin = (value: number, length: number, unit: string): void => {
  if (Number.isInteger(value) && value >= 0 && value <= length) return;
  throw new RangeError(`${value} is not an offset within 0…${length} ${unit}`);
};

/** Builds the one table of a document: the places of its surrogate pairs. O(n) once, then O(log pairs) per look-up. */
export function createOffsets(text: string): Offsets {
  const starts = pairStarts(text);
  const length = text.length - starts.length;
  return {
    length,
    toCodePoint(utf16) {
      requireWithin(utf16, text.length, 'UTF-16 units');
      return utf16 - countBelow(starts.length, (index) => starts[index] ?? 0, utf16);
    },
    toUtf16(codePoint) {
      requireWithin(codePoint, length, 'code points');
      return codePoint + countBelow(starts.length, (index) => (starts[index] ?? 0) - index, codePoint);
    },
  };
}

/** Length of a text in Unicode code points. */
export function countCodePoints(text: string): number {
  return text.length - countPairs(text);
}
