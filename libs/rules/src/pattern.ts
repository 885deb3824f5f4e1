import { RE2JS } from 're2js';
import { mayContain, requiredLiteral } from './required-literal.js';

/** Where a pattern matched, in UTF-16 units, end exclusive. */
export interface Match {
  begin: number;
  end: number;
}

/** A compiled pattern. Its time is linear in the text, whatever the pattern: there is no backtracking. */
export interface Pattern {
  /**
   * All matches, in order, without the empty ones. Whoever runs many patterns over one text gives it in small letters,
   * too, so that it is not made anew for each.
   */
  find(text: string, lowerText?: string): Match[];
}

/** A pattern that cannot be accepted. The message says why, in words for whoever wrote it. */
export class InvalidPattern extends Error {
  override readonly name = 'InvalidPattern';
}

/** Longest pattern, in UTF-16 units. */
export const maxPatternLength = 500;
/**
 * Steps of the compiled program. A match costs, at worst, as many as these for each character; counted repetitions such
 * as `(?:x{1,100}){1,9}` make thousands.
 */
export const maxPatternSteps = 250;

const compile = (source: string): RE2JS => {
  try {
    return RE2JS.compile(source);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : 'error parsing regexp';
    throw new InvalidPattern(`${reason}. Patterns are in RE2 syntax: no look-around, no back-references.`, { cause });
  }
};

/**
 * Compiles a pattern in RE2 syntax (https://github.com/google/re2/wiki/Syntax). `(?i)` at its begin ignores case.
 * @throws InvalidPattern when it is no RE2 syntax, too long, or its program has too many steps
 */
export function compilePattern(source: string): Pattern {
  if (source === '') throw new InvalidPattern('The pattern is empty.');
  if (source.length > maxPatternLength) {
    throw new InvalidPattern(`The pattern is longer than ${maxPatternLength} characters.`);
  }
  const compiled = compile(source);
  const steps = compiled.matcher('').programSize();
  if (steps > maxPatternSteps) {
    throw new InvalidPattern(
      `The pattern needs ${steps} steps, more than ${maxPatternSteps}: repeat less, or split it.`,
    );
  }
  const literal = requiredLiteral(source);
  return {
    find(text, lowerText = text.toLowerCase()) {
      if (!mayContain(lowerText, literal)) return [];
      // Most patterns match in few sentences, and whether one does is much cheaper to say than where.
      if (!compiled.test(text)) return [];
      const matches: Match[] = [];
      const matcher = compiled.matcher(text);
      while (matcher.find()) {
        const match = { begin: matcher.start(), end: matcher.end() };
        if (match.end > match.begin) matches.push(match);
      }
      return matches;
    },
  };
}
