// Whole numbers as text, five bits a character and lowest first, as in source maps: a small one takes one character.

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const valuesOf = new Map(digits.split('').map((digit, value) => [digit, value]));

/** Of a whole number that is not negative. */
export function encodeNumber(number: number): string {
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

/** Numbers that were written one after the other. Undefined when it is no list of numbers. */
export function decodeNumbers(text: string): number[] | undefined {
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
