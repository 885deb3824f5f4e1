import { z } from 'zod';
import type { DefinitionParts } from './definition-parts.js';
import { compilePattern, InvalidPattern } from './pattern.js';
import { rulesId } from './words.js';

const maxLabels = 1_000;
const maxPatterns = 500;
const maxExampleCharacters = 2_000_000;

const pattern = z.string().superRefine((source, context) => {
  try {
    compilePattern(source);
  } catch (error) {
    if (!(error instanceof InvalidPattern)) throw error;
    context.addIssue({ code: 'custom', message: error.message });
  }
});

const label = z.strictObject({
  name: z.string().trim().min(1).max(100).describe('Unique in its taxonomy; what results call the class.'),
  description: z.string().max(2_000).default('').describe('For people. An embedded engine does not read it.'),
  keywords: z
    .array(z.string().trim().min(1).max(100))
    .max(1_000)
    .default([])
    .describe('Words and phrases that speak for the label; plurals and other endings are found, too.'),
  patterns: z.array(pattern).max(50).default([]).describe('RE2 patterns, looked for within each sentence.'),
  examples: z
    .array(z.string().min(1).max(100_000))
    .max(500)
    .default([])
    .describe('Documents, or pieces of some, that belong to the label: the engine learns its words from them.'),
});

const taxonomy = z.strictObject({
  id: rulesId,
  version: z.string().min(1).max(64),
  multiLabel: z.boolean().default(false).describe('Whether a document may belong to several labels.'),
  threshold: z.number().min(0).max(1).default(0.3).describe('Lowest score at which a label holds.'),
  languages: z
    .array(z.string().regex(/^[a-z]{2,3}$/, 'a language of two or three letters, such as "en"'))
    .default([])
    .describe('Languages that its words are in; documents in others are refused. Empty: any.'),
  labels: z.array(label).max(maxLabels).describe('The classes. Without one, every document is refused with NO_LABELS.'),
});

type Draft = z.output<typeof taxonomy>;

const duplicatesIn = ({ labels }: Draft): string[] => {
  const names = labels.map(({ name }) => name);
  return [...new Set(names.filter((name, index) => names.indexOf(name) !== index))];
};

const sumOver = ({ labels }: Draft, count: (label: Draft['labels'][number]) => number): number =>
  labels.reduce((sum, entry) => sum + count(entry), 0);

function checkWhole(draft: Draft, context: z.RefinementCtx): void {
  const fault = (message: string): void => context.addIssue({ code: 'custom', path: ['labels'], message });
  for (const name of duplicatesIn(draft)) fault(`two labels have the name ${JSON.stringify(name)}`);
  if (sumOver(draft, ({ patterns }) => patterns.length) > maxPatterns)
    fault(`more than ${maxPatterns} patterns in all`);
  const characters = sumOver(draft, ({ examples }) => examples.reduce((sum, example) => sum + example.length, 0));
  if (characters > maxExampleCharacters) fault(`more than ${maxExampleCharacters} characters of examples in all`);
}

/**
 * A taxonomy as its tenant writes it. Parsing fills defaults, and names every fault with its path: unknown fields,
 * labels of one name, patterns that RE2 does not accept.
 */
export const taxonomySchema = taxonomy.superRefine(checkWhole);

/** The schema in parts. A label may have 50 patterns, which take as many milliseconds on a busy machine. */
export const taxonomyParts: DefinitionParts = {
  list: 'labels',
  head: taxonomy.extend({ labels: z.array(z.unknown()).max(maxLabels) }),
  entry: label,
  whole: z.custom<Draft>().superRefine(checkWhole),
  perStep: 1,
};

/** Classes to choose from: data of a tenant, and versioned. */
export type Taxonomy = z.output<typeof taxonomySchema>;

/** A taxonomy as it is written down: what has a default may be left out. */
export type TaxonomyInput = z.input<typeof taxonomySchema>;

/** A class that a document may belong to, and what speaks for it. */
export type TaxonomyLabel = Taxonomy['labels'][number];
