import { detectors } from './detectors.js';
import { type FoldedText, foldText } from './fold-text.js';
import {
  type Candidate,
  contextLength,
  type Detector,
  type Identifier,
  identifierFamilies,
  type Validator,
} from './identifier.js';

const confirming = new Set<Validator>(['luhn', 'mod97', 'check-digit', 'numbering-plan', 'structure']);

/** What is confirmed beats what is not; a secret, and a number from a range that exists, beat a mere form. */
const strengthOf = ({ type, validator }: Identifier): number => {
  if (confirming.has(validator)) return 2;
  return validator === 'ranges' || identifierFamilies[type] === 'secret' ? 1 : 0;
};

const isBetter = (one: Identifier, other: Identifier): boolean => {
  const byStrength = strengthOf(one) - strengthOf(other);
  return byStrength === 0 ? one.end - one.begin > other.end - other.begin : byStrength > 0;
};

interface Search {
  detector: Detector;
  pattern: RegExp;
  /** No candidate may begin before: where the last accepted one ended. Carried over windows. */
  resumeAt: number;
}

const identify = ({ type, accept }: Detector, candidate: Candidate): Identifier | null => {
  const accepted = accept(candidate);
  if (accepted === null) return null;
  const { begin, end, validator } = accepted;
  return {
    type,
    begin: candidate.begin + begin,
    end: candidate.begin + end,
    text: candidate.text.slice(begin, end),
    score: confirming.has(validator) ? 1 : null,
    validator,
  };
};

// Candidates looked at between two pauses: a telephone number takes up to a tenth of a millisecond to check.
const candidatesPerStep = 64;

/** The window [begin, end) of a document. */
interface Window {
  document: string;
  begin: number;
  end: number;
}

/**
 * The identifiers of one kind that begin in a window. It is read with room for the longest match and for the context of
 * its pattern, so where it is cut never changes what is found.
 */
function* searchWindow(search: Search, { document, begin, end }: Window): Generator<void, Identifier[]> {
  const { detector, pattern } = search;
  const found: Identifier[] = [];
  search.resumeAt = Math.max(search.resumeAt, begin);
  const from = Math.max(0, search.resumeAt - contextLength);
  const text = document.slice(from, end + detector.maxLength + contextLength);
  if (search.resumeAt >= end || !detector.needs.test(text)) return found;
  for (let count = 1; ; count += 1) {
    pattern.lastIndex = search.resumeAt - from;
    const match = pattern.exec(text);
    if (match === null || from + match.index >= end) return found;
    const at = from + match.index;
    const identifier = identify(detector, { text: match[0], begin: at, document });
    // After a candidate that is none, the next may begin inside it.
    search.resumeAt = identifier === null ? at + 1 : identifier.end;
    if (identifier !== null) found.push(identifier);
    if (count % candidatesPerStep === 0) yield;
  }
}

/** Appends in order of begin. Of two overlapping spans the better confirmed one stays, then the longer, then the first. */
const keep = (kept: Identifier[], identifier: Identifier): void => {
  const last = kept.at(-1);
  const overlaps = last !== undefined && last.end > identifier.begin;
  if (overlaps && !isBetter(identifier, last)) return;
  if (overlaps) kept.pop();
  kept.push(identifier);
};

/** Identifiers of the folded text where they stand in the text as it is. */
const unfold = (found: Identifier[], document: string, { toOriginal }: FoldedText): Identifier[] =>
  found.map((identifier) => {
    const [begin, end] = [toOriginal(identifier.begin), toOriginal(identifier.end - 1) + 1];
    return { ...identifier, begin, end, text: document.slice(begin, end) };
  });

/**
 * Finds identifiers window by window; a caller may pause at each yield (a few milliseconds apart). Linear in the text,
 * and the windows' length changes nothing about the result. Digits of other scripts count, and characters that cannot be seen
 * do not: see `fold-text.ts`.
 * @returns spans in order, without overlap
 */
export function* scanIdentifiers(document: string, windowLength = 32_768): Generator<void, Identifier[]> {
  const folded = foldText(document);
  const { text } = folded;
  yield;
  const searches = detectors.map((detector): Search => {
    return { detector, pattern: new RegExp(detector.candidate), resumeAt: 0 };
  });
  const kept: Identifier[] = [];
  // A value may begin inside its candidate (`password = …`), so one window's last finds may belong behind the next one's.
  let waiting: Identifier[] = [];
  for (let begin = 0; begin < text.length; begin += windowLength) {
    const window = { document: text, begin, end: begin + windowLength };
    for (const search of searches) {
      for (const identifier of yield* searchWindow(search, window)) waiting.push(identifier);
      yield;
    }
    const isLast = window.end >= text.length;
    const ready = isLast ? waiting : waiting.filter((identifier) => identifier.begin < window.end);
    waiting = isLast ? [] : waiting.filter((identifier) => identifier.begin >= window.end);
    for (const identifier of ready.sort((one, other) => one.begin - other.begin)) keep(kept, identifier);
  }
  return text === document ? kept : unfold(kept, document, folded);
}

/** All identifiers of a text at once; `scanIdentifiers` is the same in steps. */
export function findIdentifiers(text: string): Identifier[] {
  const scan = scanIdentifiers(text);
  for (;;) {
    const step = scan.next();
    if (step.done === true) return step.value;
  }
}
