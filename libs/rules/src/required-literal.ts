// What a pattern cannot match without. To look for it is a hundred times cheaper than to run the pattern.

const plain = /[A-Za-z0-9 _]/;
// Before these the character may be left out.
const optional = /[?*{]/;

interface Run {
  text: string;
  /** First index after it. */
  end: number;
}

/** The characters from an index on that stand for themselves. The last one does not belong to it when it may be left out. */
const runAt = (source: string, begin: number): Run => {
  let end = begin;
  while (end < source.length && plain.test(source.charAt(end))) end += 1;
  const last = optional.test(source.charAt(end)) ? end - 1 : end;
  return { text: source.slice(begin, Math.max(begin, last)), end };
};

/** First index after a class or a group that begins at an index; the source's length when it does not end. */
const afterBrackets = (source: string, begin: number): number => {
  let [depth, isInClass] = [0, false];
  for (let index = begin; index < source.length; index += 1) {
    const character = source.charAt(index);
    if (character === '\\') index += 1;
    // The first bracket after "[" or "[^" is one of the class.
    else if (isInClass) isInClass = character !== ']';
    else if (character === '[') {
      isInClass = true;
      if (source.charAt(index + 1) === '^') index += 1;
      if (source.charAt(index + 1) === ']') index += 1;
    } else if (character === '(') depth += 1;
    else if (character === ')') depth -= 1;
    if (depth === 0 && !isInClass) return index + 1;
  }
  return source.length;
};

// Escapes of one letter, of which nothing is left over to be read as a literal.
const shortEscape = /^\\[bBdDsSwW.\\+*?()|[\]{}^$/-]/;
const counted = /^\{\d*,?\d*\}/;

/** The runs of a source outside classes and groups; null when it is not surely understood. */
function runsOf(source: string): string[] | null {
  const runs: string[] = [];
  for (let index = 0; index < source.length;) {
    const rest = source.slice(index);
    const character = source.charAt(index);
    if (character === '|' || (rest.startsWith('(?') && !rest.startsWith('(?:'))) return null;
    if (character === '\\') {
      if (!shortEscape.test(rest)) return null;
      index += 2;
    } else if (character === '(' || character === '[') index = afterBrackets(source, index);
    else if (plain.test(character)) {
      const run = runAt(source, index);
      runs.push(run.text);
      index = run.end;
    } else index += counted.exec(rest)?.[0].length ?? 1;
  }
  return runs;
}

/**
 * The longest piece of ASCII that stands in every match of a pattern, in small letters; null when none is surely known.
 * It need not stand there alone or first, and says nothing about case.
 */
export function requiredLiteral(source: string): string | null {
  const runs = runsOf(source.replace(/^\(\?i\)/, '')) ?? [];
  const longest = runs.reduce((best, run) => (run.length > best.length ? run : best), '');
  return longest === '' ? null : longest.toLowerCase();
}

// The one letter that matches "s" in any case and whose small letter it is not. (The Kelvin sign's is "k".)
const longS = 'ſ';

/** Whether a literal stands in a text, in any case. True when in doubt. */
export function mayContain(lowerText: string, literal: string | null): boolean {
  return literal === null || lowerText.includes(literal) || lowerText.includes(longS);
}
