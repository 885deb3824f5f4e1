import {
  type AnsweredChunk,
  askPerChunk,
  type Chunk,
  type ModelPrompt,
  readChunks,
} from '@anabranch/analysis-runtime/definition';
import type { FindingInput } from '@anabranch/contracts';
import { identifierFamilies, type IdentifierType, maskIdentifier, scanIdentifiers } from '@anabranch/identifiers';
import { apartFrom, createQuoteFinder, type Offsets, type Span, withoutOverlap } from '@anabranch/text';
import { judgeFindings, toFinding } from './compliance.engine.js';
import { askForFindings } from './compliance.prompt.js';
import type { AskedType, SuspectedValue } from './compliance.reply.js';
import { complianceConfig, hashKeyOf } from './compliance.config.js';
import { defaultRuleset } from './default-ruleset.js';

/** A value where a model says that it stands, in UTF-16 units. */
interface Suspect extends Span {
  type: AskedType;
}

/** How far a chunk reaches back, so that a value which a line end parts from its sentence is whole in one of them. */
const lookBehind = 64;

function reachBack(text: string, chunk: Chunk): Chunk {
  const begin = Math.max(0, chunk.begin - lookBehind);
  // Not into the middle of a pair.
  const whole = /[\udc00-\udfff]/.test(text.charAt(begin)) ? begin + 1 : begin;
  return { begin: whole, end: chunk.end, text: text.slice(whole, chunk.end) };
}

/** What stands where it is said to, and how much does not. */
interface Grounded {
  suspects: Suspect[];
  missing: number;
}

/** Every place where a chunk's values stand; yields after each value. */
function* groundValues({ chunk, answer }: AnsweredChunk<SuspectedValue[]>): Generator<void, Grounded> {
  const finder = createQuoteFinder(chunk.text);
  const suspects: Suspect[] = [];
  let missing = 0;
  for (const { text, type } of answer) {
    const places = finder.find(text);
    if (places.length === 0) missing += 1;
    for (const { begin, end } of places) suspects.push({ type, begin: chunk.begin + begin, end: chunk.begin + end });
    yield;
  }
  return { suspects, missing };
}

const isIdentifier = (type: string): type is IdentifierType => Object.hasOwn(identifierFamilies, type);

/** No score: nothing but the model's word stands behind it. */
const toSuspicion = (text: string, { type, begin, end }: Suspect, offsets: Offsets): FindingInput => ({
  type,
  begin: offsets.toCodePoint(begin),
  end: offsets.toCodePoint(end),
  score: null,
  scoreKind: 'NONE',
  masked: isIdentifier(type) ? maskIdentifier({ type, text: text.slice(begin, end) }) : '****',
});

const missingValues = (count: number): string[] =>
  count === 0 ? [] : [`${count} values that the model gave do not stand in the text, and are left out.`];

/**
 * What the detectors find, and beside it what a model takes for sensitive: names, postal addresses, and what only its
 * context shows. Where both found something, the detector's finding holds, because it is checked.
 */
export const inspectByModel: ModelPrompt<'compliance', typeof complianceConfig.shape, 'ruleset'> = {
  version: '1',
  *answer({ text, offsets, tenantId }, { config, rules, chunkCharacters }) {
    const hmacKey = hashKeyOf(config, tenantId);
    const chunks = (yield* readChunks(text, chunkCharacters)).map((chunk) => reachBack(text, chunk));
    const answered = yield* askPerChunk(chunks, askForFindings);
    const suspects: Suspect[] = [];
    let missing = 0;
    for (const each of answered) {
      const grounded = yield* groundValues(each);
      for (const suspect of grounded.suspects) suspects.push(suspect);
      missing += grounded.missing;
    }
    const identifiers = yield* scanIdentifiers(text);
    const further = apartFrom(withoutOverlap(suspects), identifiers);
    const findings = [
      ...identifiers.map((identifier) => toFinding(identifier, { offsets, hmacKey })),
      ...further.map((suspect) => toSuspicion(text, suspect, offsets)),
    ].sort((one, other) => one.begin - other.begin);
    const result = yield* judgeFindings(findings, rules ?? defaultRuleset);
    return { result, warnings: missingValues(missing) };
  },
};
