// Looks at JSON before it is parsed: the engine's parser takes the memory of whatever the bytes describe, and dies of it.

/** How much a JSON text may hold. */
export interface JsonBounds {
  /** Objects and arrays inside of each other. */
  maxDepth: number;
  /** Members of all objects and arrays together. */
  maxMembers: number;
}

const [quote, comma, backslash] = [0x22, 0x2c, 0x5c];
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Which bound the JSON in UTF-8 breaks first, if any. One pass, without memory of its own. What is no JSON may break one
 * or none: until its fault it is read as a parser reads it.
 */
export function brokenBound(bytes: Uint8Array, { maxDepth, maxMembers }: JsonBounds): keyof JsonBounds | null {
  let depth = 0;
  let members = 0;
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index];
    if (byte === quote) index = endOfString(bytes, index);
    else if (byte === comma) members += 1;
    else if (byte === openBracket || byte === openBrace) {
      depth += 1;
      // Its first member has no comma before it; an empty one is counted as if it had a member.
      members += 1;
    } else if (byte === closeBracket || byte === closeBrace) depth -= 1;
    if (depth > maxDepth) return 'maxDepth';
    if (members > maxMembers) return 'maxMembers';
  }
  return null;
}

/** Index of the quote that ends the string which begins at `begin`; beyond the last one when none does. */
function endOfString(bytes: Uint8Array, begin: number): number {
  let index = begin + 1;
  while (index < bytes.length && bytes[index] !== quote) index += bytes[index] === backslash ? 2 : 1;
  return index;
}
