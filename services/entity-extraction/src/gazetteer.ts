import type { Span } from '@anabranch/text';
import { type Token, tokenise } from './tokens.js';

/** A tenant's own names. */
export interface Gazetteer {
  entries: readonly GazetteerEntry[];
}

export interface GazetteerEntry {
  /** The name under which its mentions are gathered. */
  name: string;
  /** The tenant's own kind of thing, such as PRODUCT. */
  type: string;
  /** Other spellings. */
  aliases?: readonly string[];
}

/** A mention of an entry. */
export interface GazetteerMention extends Span {
  entry: GazetteerEntry;
}

interface Node {
  next: Map<string, Node>;
  /** Entries that end here: as it must be written, or null for any case. */
  ends: { entry: GazetteerEntry; exactly: string | null }[];
}

// Names longer than that are not found: it bounds the work at each token.
const maxWords = 24;

/** Without case, and without the stop of an abbreviation: "Inc." is "INC". */
const fold = (text: string): string =>
  text
    .normalize('NFC')
    .toLowerCase()
    .replace(/(?<=.)\.$/, '');

const tokensOf = (text: string): string[] =>
  tokenise(text, { begin: 0, end: text.length }, []).map((token) => token.text);

/** An acronym counts only as it is written: the entry IT is not the word "it". */
const isAcronym = (name: string): boolean => !/\p{Ll}/u.test(name) && /^\P{L}*\p{L}[\p{L}\p{N}.&]{0,5}$/u.test(name);

const emptyNode = (): Node => ({ next: new Map(), ends: [] });

const addName = (root: Node, name: string, entry: GazetteerEntry): void => {
  const tokens = tokensOf(name);
  if (tokens.length === 0 || tokens.length > maxWords) return;
  let node = root;
  for (const token of tokens.map(fold)) {
    const next = node.next.get(token) ?? emptyNode();
    node.next.set(token, next);
    node = next;
  }
  node.ends.push({ entry, exactly: isAcronym(name) ? tokens.join(' ').normalize('NFC') : null });
};

/** Names ready to be looked for. */
export interface NameFinder {
  /**
   * Mentions in order, the longest where several begin, without overlap; the search ends soon after `maxCount` of them.
   * Yields after each piece of a text.
   */
  find(text: string, maxCount?: number): Generator<void, GazetteerMention[]>;
}

const pieceLength = 16_384;

/** Pieces of a text that end at white space, where there is any near. */
function* pieces(text: string): Generator<Span> {
  for (let begin = 0; begin < text.length;) {
    let end = Math.min(text.length, begin + pieceLength);
    if (end < text.length) {
      const space = text.slice(begin, end).search(/\s\S*$/);
      if (space > 0) end = begin + space;
    }
    yield { begin, end };
    begin = end;
  }
}

// Entries added to a trie between two pauses.
const entriesPerStep = 100;

/** Compiles a gazetteer into a trie of tokens: white space and case do not count, except in acronyms. Yields in between. */
export function* compileGazetteer({ entries }: Gazetteer): Generator<void, NameFinder> {
  const root = emptyNode();
  for (const [index, entry] of entries.entries()) {
    for (const name of [entry.name, ...(entry.aliases ?? [])]) addName(root, name, entry);
    if (index % entriesPerStep === 0) yield;
  }
  return {
    *find(text, maxCount = Infinity) {
      const found: GazetteerMention[] = [];
      if (root.next.size === 0) return found;
      const walks = createWalks(root, found);
      for (const piece of pieces(text)) {
        if (found.length > maxCount) break;
        for (const token of tokenise(text, piece, [])) walks.read(token);
        yield;
      }
      walks.finish();
      return found;
    },
  };
}

/** A walk from one token on. */
interface Walk {
  /** Null when it can go no further. */
  node: Node | null;
  begin: number;
  words: string[];
  longest: GazetteerMention | null;
}

const advance = (walk: Walk, token: Token, folded: string): void => {
  const node = walk.node?.next.get(folded) ?? null;
  walk.node = node === null || node.next.size === 0 ? null : node;
  if (node === null) return;
  walk.words.push(token.text);
  const written = walk.words.join(' ').normalize('NFC');
  const end = node.ends.find(({ exactly }) => exactly === null || exactly === written);
  if (end !== undefined) walk.longest = { entry: end.entry, begin: walk.begin, end: token.end };
};

/** Walks the trie along a stream of tokens, with one walk per token that may begin a name: at most `maxWords` at once. */
const createWalks = (root: Node, found: GazetteerMention[]) => {
  let walks: Walk[] = [];
  // In order of begin: a mention is final only when no walk from an earlier token can still grow over it.
  const settle = (isLast: boolean): void => {
    let settled = 0;
    for (const { node, longest } of walks) {
      if (node !== null && !isLast) break;
      if (longest !== null && longest.begin >= (found.at(-1)?.end ?? 0)) found.push(longest);
      settled += 1;
    }
    walks = walks.slice(settled).filter(({ node, longest }) => node !== null || longest !== null);
  };
  return {
    read(token: Token): void {
      const folded = fold(token.text);
      if (root.next.has(folded)) walks.push({ node: root, begin: token.begin, words: [], longest: null });
      if (walks.length === 0) return;
      for (const walk of walks) advance(walk, token, folded);
      settle(false);
    },
    finish: () => settle(true),
  };
};
