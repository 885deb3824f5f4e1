import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { runAtOnce } from '@anabranch/analysis-runtime/testing';
import type { ClassificationResultInput, LabelEvidence } from '@anabranch/contracts';
import { type Taxonomy, type TaxonomyInput, taxonomySchema } from '@anabranch/rules';
import { createOffsets } from '@anabranch/text';
import { requireLabels } from '../src/require-labels.js';
import { classify } from '../src/classification.engine.js';
import { defaultTaxonomy } from '../src/default-taxonomy.js';
import { maxEvidence } from '../src/label-evidence.js';

const run = (text: string, taxonomy: Taxonomy = defaultTaxonomy): ClassificationResultInput =>
  runAtOnce(classify({ text, offsets: createOffsets(text), taxonomy }));
const taxonomyOf = (labels: TaxonomyInput['labels'], rest: Partial<TaxonomyInput> = {}): Taxonomy =>
  taxonomySchema.parse({ id: 'spec', version: '7', threshold: 0.5, ...rest, labels });
const placesOf = (result: ClassificationResultInput, label: string): LabelEvidence[] =>
  result.labels.find(({ name }) => name === label)?.evidence ?? [];
const textsOf = (result: ClassificationResultInput, label: string): string[] =>
  placesOf(result, label).map(({ text }) => text);

const contract = readFileSync(new URL('./fixtures/document.txt', import.meta.url), 'utf8');
const colours = taxonomyOf([
  { name: 'warm', keywords: ['red', 'deep red', 'orange'] },
  { name: 'cold', keywords: ['blue', 'deep blue sea', 'doesn’t glow'] },
]);

describe('classify', () => {
  it('finds the class of a contract, and ranks all labels', () => {
    const result = run(contract);
    expect(result).toMatchObject({ label: 'legal', reason: null, taxonomy: { id: 'default', version: 'built-in-4' } });
    expect(result.labels.map(({ name }) => name).toSorted()).toEqual(
      defaultTaxonomy.labels.map(({ name }) => name).toSorted(),
    );
    const scores = result.labels.map(({ score }) => score ?? -1);
    expect(scores).toEqual(scores.toSorted((one, other) => other - one));
  });

  it('shows the words that speak for a label, where they stand', () => {
    const [best] = run('Red and deep red.', colours).labels;
    expect(best?.evidence.map(({ text, begin, source }) => [text, begin, source])).toEqual([
      ['Red', 0, 'keyword'],
      ['deep red', 8, 'keyword'],
      ['red', 13, 'keyword'],
    ]);
  });

  it('does not take words for keywords that only share their stem', () => {
    const story =
      'A container ship left the terminal after the harbour took new bookings, dismissing fears that ' +
      'the annual report had a standard error.';
    expect(run(story)).toMatchObject({ label: null });
  });

  it('has no label and says why when nothing speaks for one', () => {
    expect(run('Grey.', colours)).toMatchObject({
      label: null,
      reason: 'Nothing in the text speaks for a label of the taxonomy.',
      labels: [
        { name: 'warm', score: 0 },
        { name: 'cold', score: 0 },
      ],
    });
  });

  it('has no label and says why when the best one stays below the threshold', () => {
    const { label, reason, labels } = run('Red, blue.', colours);
    expect(label).toBeNull();
    expect(reason).toBe('The best label, warm, has a score of 0.3333, below the threshold of 0.5.');
    expect(labels).toHaveLength(2);
  });

  it.each([
    ['Blue, red.', ['cold', 'warm']],
    ['Red, blue.', ['warm', 'cold']],
  ])('puts that one of two equal labels first that the text speaks of first: %s', (text, expected) => {
    expect(run(text, colours).labels.map(({ name }) => name)).toEqual(expected);
  });

  it('lets no example outweigh the others by its length', () => {
    const long = Array.from({ length: 400 }, (_, index) => `word${index} hull`).join(' ');
    const rules = taxonomyOf([
      { name: 'ships', examples: [long, 'A mast and a keel.'] },
      { name: 'trees', examples: ['An oak and a beech.', 'A hull of oak.'] },
    ]);
    expect(run('mast keel', rules).labels[0]?.name).toBe('ships');
    expect(run('oak beech', rules).labels[0]?.name).toBe('trees');
  });

  it('matches keywords of several words, whole words only, with either apostrophe', () => {
    const result = run("The deep blue sea doesn't glow; a deep bluebell is no match.", colours);
    expect(textsOf(result, 'cold')).toEqual(['deep blue sea', 'blue', "doesn't glow"]);
    expect(textsOf(result, 'warm')).toEqual([]);
  });

  it('matches plurals and other endings of a keyword', () => {
    const rules = taxonomyOf([{ name: 'law', keywords: ['license agreement', 'party', 'tax'] }]);
    expect(textsOf(run('Parties to licensing agreements are taxed on taxes.', rules), 'law')).toEqual([
      'Parties',
      'licensing agreements',
      'taxes',
    ]);
  });

  it('counts all hits of a label, and lists the first ones', () => {
    const [few, many] = [run('red '.repeat(10), colours), run('red '.repeat(1_000), colours)];
    expect(many.labels[0]?.evidence).toHaveLength(maxEvidence);
    expect(many.labels[0]?.score ?? 0).toBeGreaterThan(few.labels[0]?.score ?? 0);
  });

  it('calls its scores a rank, not a probability', () => {
    expect(new Set(run(contract).labels.map(({ scoreKind }) => scoreKind))).toEqual(new Set(['RANK']));
  });

  it('looks for a label that has nothing else by its name', () => {
    const bare = taxonomyOf([{ name: 'human-resources' }, { name: 'sales' }]);
    expect(run('The human resources department.', bare)).toMatchObject({ label: 'human-resources' });
  });
});

describe('patterns of a taxonomy', () => {
  const orders = taxonomyOf([
    { name: 'order', patterns: ['\\b[A-Z]{2}-\\d{4,}\\b'] },
    { name: 'prose', keywords: ['story'] },
  ]);

  it('are found with their places, in code points', () => {
    const result = run('😀 Where is AB-12345? And CD-9876.', orders);
    expect(result.label).toBe('order');
    expect(placesOf(result, 'order')).toEqual([
      { text: 'AB-12345', begin: 11, end: 19, source: 'pattern' },
      { text: 'CD-9876', begin: 25, end: 32, source: 'pattern' },
    ]);
  });

  it.each(['(a+)+$', '(?:a|aa)+$', '(?:a?){60}a{60}'])('cannot be made to run away: %s', (pattern) => {
    const hostile = taxonomyOf([{ name: 'hostile', patterns: [pattern] }]);
    const before = process.cpuUsage().user;
    run(`${'a'.repeat(100_000)}!`, hostile);
    expect((process.cpuUsage().user - before) / 1_000).toBeLessThan(2_000);
  });
});

describe('examples of a taxonomy', () => {
  const pets = taxonomyOf([
    { name: 'dogs', examples: ['The dog barked at the postman.', 'A puppy chewed its leash on the walk.'] },
    { name: 'cats', examples: ['The cat purred on the sofa.', 'A kitten scratched the sofa with its claws.'] },
  ]);

  it('teach the words of a label, and which words spoke for it is shown', () => {
    const result = run('Our kitten sleeps on the sofa.', pets);
    expect(result.label).toBe('cats');
    expect(placesOf(result, 'cats').map(({ text, source }) => [text, source])).toEqual([
      ['kitten', 'example'],
      ['sofa', 'example'],
    ]);
    expect(placesOf(result, 'dogs')).toEqual([]);
  });

  it('say nothing about a text of words that they do not have', () => {
    expect(run('Interest rates rose.', pets)).toMatchObject({ label: null, labels: [{ score: 0 }, { score: 0 }] });
  });

  it('add to keywords without drowning them', () => {
    const both = taxonomyOf(
      [
        { name: 'dogs', keywords: ['terrier'], examples: pets.labels[0]?.examples ?? [] },
        { name: 'cats', keywords: ['siamese'], examples: pets.labels[1]?.examples ?? [] },
      ],
      { threshold: 0 },
    );
    const words = 'terrier terrier poodle collie spaniel';
    expect(run(`A ${words}, and a sofa.`, both).label).not.toBeNull();
    expect(run('A terrier chewed its leash.', both).label).toBe('dogs');
  });
});

describe('a taxonomy of several labels per document', () => {
  it('scores each label by its own evidence, so that several may hold', () => {
    const { labels, label, multiLabel } = run('Red, orange, blue, deep blue sea.', { ...colours, multiLabel: true });
    expect(multiLabel).toBe(true);
    expect(label).toBe('cold');
    expect(labels.map(({ name, score }) => [name, score])).toEqual([
      ['cold', 0.5469],
      ['warm', 0.5],
    ]);
  });
});

describe('large and empty taxonomies', () => {
  it('ranks five hundred labels completely', () => {
    const labels = Array.from({ length: 500 }, (_, index) => ({ name: `label ${index}`, keywords: [`word${index}`] }));
    const result = run('word7 and word7 again, and word499.', taxonomyOf(labels));
    expect(result.labels).toHaveLength(500);
    expect(result.labels.slice(0, 3).map(({ name }) => name)).toEqual(['label 7', 'label 499', 'label 0']);
  });

  it('refuses to choose from nothing, by name', () => {
    expect(() => requireLabels(taxonomyOf([]))).toThrow('The taxonomy has no labels to choose from.');
    expect(() => requireLabels(colours)).not.toThrow();
  });
});

describe('defaultTaxonomy', () => {
  it('names each label once, each with keywords that are lower-case words', () => {
    const names = defaultTaxonomy.labels.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const { keywords } of defaultTaxonomy.labels) {
      expect(keywords.length).toBeGreaterThan(10);
      expect(keywords.every((keyword) => /^\p{Ll}[\p{Ll}’]*(?: [\p{Ll}’]+){0,2}$/u.test(keyword))).toBe(true);
    }
  });
});
