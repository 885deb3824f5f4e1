import type { Question } from '@anabranch/analysis-runtime/definition';
import type { Taxonomy } from '@anabranch/rules';
import { classificationReply, readLabels, type ScoredLabel } from './classification.reply.js';

// Enough to say what a label is about; each is paid for with every document.
const maxKeywords = 20;

/** A line per label, as JSON, so that a name or description cannot pass for anything else. */
const labelLine = ({ name, description, keywords }: Taxonomy['labels'][number]): string =>
  JSON.stringify({
    name,
    ...(description === '' ? {} : { description }),
    ...(keywords.length === 0 ? {} : { keywords: keywords.slice(0, maxKeywords) }),
  });

const describe = ({ multiLabel, labels }: Taxonomy): string =>
  [
    'Say which labels fit the text. Score each label that fits at all by how well it fits; labels that you leave out have the score 0.',
    multiLabel
      ? 'Several labels may fit well: score each by itself.'
      : 'One label is to be chosen: the scores together are at most 1.',
    'Judge by what the text is about, not by single words; keywords are hints. Quote words of the text that speak for a label.',
    'The labels, one a line:',
    ...labels.map(labelLine),
  ].join('\n');

const described = new WeakMap<Taxonomy, string>();

/** A taxonomy that is in force does not change; many documents are asked about by it. */
const instructionsFor = (taxonomy: Taxonomy): string => {
  const instructions = described.get(taxonomy) ?? describe(taxonomy);
  described.set(taxonomy, instructions);
  return instructions;
};

/** A question about a text, whose answer are labels of a taxonomy. */
export function askForLabels(taxonomy: Taxonomy, text: string): Question<ScoredLabel[]> {
  return {
    instructions: instructionsFor(taxonomy),
    text,
    schema: classificationReply(taxonomy).schema,
    maxOutputTokens: 1_200,
    read: (value) => readLabels(taxonomy, value),
  };
}
