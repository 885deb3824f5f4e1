// `node bench/engines.mjs`: what the embedded engines cost. Calls each analysis as its runtime does, on its build. By hand,
// never part of the tests. `--help` says more.
import { readdirSync, readFileSync } from 'node:fs';
import os from 'node:os';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { readOptions } from '../tools/command-line.mjs';

const root = resolve(import.meta.dirname, '..');
const usage = `node bench/engines.mjs [--only ANALYSIS,…] [--runs 3]

Processor time per 1,000 words of ordinary English, and seconds per megabyte of hostile text, each with the longest block of
the event loop. Needs a build.

  --only ANALYSIS,…  some analyses alone: compliance,summary
  --runs 3           of each text; the fastest counts`;

const values = await readOptions({
  usage,
  numbers: ['runs'],
  options: { only: { type: 'string' }, runs: { type: 'string', default: '3' } },
});
const runs = Number(values.runs);
const wanted = values.only?.split(',');

const load = (path) => import(pathToFileURL(resolve(root, path)).href);
const { cleanText, createOffsets } = await load('libs/text/dist/index.js');
const { taxonomySchema } = await load('libs/rules/dist/index.js');

/** Every analysis with a build: the one export of its .analysis module that can analyse. */
async function analyses() {
  const found = [];
  for (const service of readdirSync(resolve(root, 'services'))) {
    const module = await load(`services/${service}/dist/${service}.analysis.js`).catch(() => ({}));
    const definition = Object.values(module).find((value) => typeof value?.analyse === 'function');
    if (definition !== undefined && (wanted === undefined || wanted.includes(definition.name))) found.push(definition);
  }
  return found;
}

const megabyte = 1_000_000;
const hostile = {
  'no space': 'qwertzuiopasdfghjklyxcvbnm',
  'one letter': 'a',
  'one digit': '1',
  'single digits': '1 ',
  'capitals and stops': 'A. ',
  'numbers and stops': '1. ',
  'cards that fail': '4111 1111 1111 1112 ',
  'telephone numbers': '+49 30 1234567 ',
  'announced numbers': 'call 4567 1234 ',
  'heads of addresses': 'a@a.',
  'groups like IBANs': 'DE12 ABCD ',
  assignments: 'token=',
  'nested quantifiers': `${'a'.repeat(30)}! `,
  'capitalised pairs': 'Jane Doe, ',
  'zero-width spaces': 'a\u200b',
  'bidirectional marks': 'a\u202e',
  'combining marks': 'e\u0301',
  emoji: '😀',
  'line ends': '\r\n.',
  'punctuation only': '.,;:!?()[]{}<>-_/|"\'~@#$%^&*+=',
  'digits only': '1234567890',
  'one sentence, again and again': 'The harbour bridge is closed for repairs until the end of May. ',
  'one line without a stop': 'lorem ipsum dolor sit amet ',
  'one-word paragraphs': 'word\n\n',
  'items of a list': '- a\n',
  'heads of URLs': 'http://a.a.a.a/((((',
  'heads of private keys': '-----BEGIN PRIVATE KEY-----\nAAAA\n',
  'legal forms': 'Acme Ltd ',
};

/** Each part another, so that nothing is known from before. */
const numbered = (count, make) => Array.from({ length: count }, (_, index) => make(index)).join('\n');
const many = {
  '40,000 e-mail addresses': () => numbered(40_000, (index) => `user${index}@example${index % 997}.com`),
  '60,000 telephone numbers': () => numbered(60_000, (index) => `+49 30 ${1_000_000 + index}`),
  '50,000 names': () => numbered(50_000, (index) => `Mr. Jan${index.toString(36)} Pil${(index * 3).toString(36)},`),
  '100,000 different words': () => numbered(100_000, (index) => `q${index.toString(36)}z\n`),
};

const taxonomyOf = (labels) => taxonomySchema.parse({ id: 'bench', version: '1', labels });
/** Taxonomies for classification: each is one row, over the speeches. */
const taxonomies = {
  'no labels': () => taxonomyOf([]),
  '500 labels, 500 patterns, 2,000 examples': () =>
    taxonomyOf(
      Array.from({ length: 500 }, (_, index) => ({
        name: `label ${index}`,
        keywords: Array.from({ length: 20 }, (__, word) => `word${index * 20 + word}`),
        patterns: [`(?i)\\b(?:order|case)[- ]?${index}\\d{1,6}\\b`],
        examples: Array.from({ length: 4 }, (__, word) => `an example of ${index} with the word${word} in it`),
      })),
    ),
  'patterns that backtrack elsewhere': () =>
    taxonomyOf([{ name: 'label', patterns: ['(?:a+)+$', '(?:a|aa)+b', '(?:x*)*y', '(?:\\w+\\s?)+:'] }]),
};

const english = () => {
  const folder = resolve(root, 'e2e/test/documents/english');
  return readdirSync(folder).map((name) => {
    const bytes = readFileSync(resolve(folder, name));
    const utf8 = bytes.toString('utf8');
    return cleanText(utf8.includes('\ufffd') ? bytes.toString('latin1') : utf8);
  });
};

const documentOf = (text) => ({
  tenantId: 'bench',
  documentId: 'bench',
  revision: 1,
  jobId: 'bench',
  text,
  textSha256: '',
  offsets: createOffsets(text),
  language: 'en',
  mediaType: 'text/plain',
  metadata: {},
});

/** Processor time and longest block of one run, in ms, and how it ended. */
async function measure(definition, text, rules = null) {
  const document = documentOf(text);
  const context = { config: definition.config.parse({}), rules, signal: new AbortController().signal };
  let longest = 0;
  let before = performance.now();
  let isWatching = true;
  const watch = () => {
    longest = Math.max(longest, performance.now() - before);
    before = performance.now();
    if (isWatching) setImmediate(watch);
  };
  setImmediate(watch);
  const cpu = process.cpuUsage();
  // A refusal is a named outcome like any other: hostile text need not be English.
  const outcome = await definition.analyse(document, context).then(
    () => 'done',
    (error) => error.code ?? String(error),
  );
  const { user, system } = process.cpuUsage(cpu);
  isWatching = false;
  return { ms: (user + system) / 1_000, block: longest, outcome };
}

/** A shared machine lies upwards only: the best of a few runs counts. */
async function best(definition, text, rules = null) {
  const tries = [];
  for (let run = 0; run < runs; run += 1) tries.push(await measure(definition, text, rules));
  return {
    ms: Math.min(...tries.map(({ ms }) => ms)),
    block: Math.min(...tries.map(({ block }) => block)),
    outcome: tries[0].outcome,
  };
}

const rounded = (number) => Math.round(number * 100) / 100;
const definitions = await analyses();
if (definitions.length === 0) throw new Error('no analysis has a build: npm run build');
const speeches = english();
const words = speeches.reduce((sum, text) => sum + text.split(/\s+/).length, 0);
const load1 = os.loadavg()[0];

const ordinary = {};
for (const definition of definitions) {
  const results = [];
  for (const text of speeches) results.push(await best(definition, text));
  ordinary[definition.name] = {
    msPer1000Words: rounded((results.reduce((sum, { ms }) => sum + ms, 0) / words) * 1_000),
    longestBlockMs: rounded(Math.max(...results.map(({ block }) => block))),
    outcome: [...new Set(results.map(({ outcome }) => outcome))].join(', '),
  };
}

const secondsPerMegabyte = {};
const blocks = {};
const outcomes = {};
const repeated = Object.entries(hostile).map(([name, unit]) => [
  name,
  () => unit.repeat(Math.ceil(megabyte / unit.length)),
]);
for (const [name, make] of [...repeated, ...Object.entries(many)]) {
  const text = cleanText(make());
  secondsPerMegabyte[name] = {};
  for (const definition of definitions) {
    const { ms, block, outcome } = await best(definition, text);
    secondsPerMegabyte[name][definition.name] = rounded((ms / 1_000) * (megabyte / text.length));
    blocks[definition.name] = Math.max(blocks[definition.name] ?? 0, rounded(block));
    if (outcome !== 'done') (outcomes[definition.name] ??= {})[name] = outcome;
  }
}

const classification = definitions.find(({ name }) => name === 'classification');
if (classification !== undefined) {
  const texts = { speeches: speeches.join('\n\n').repeat(3), 'one letter': 'a'.repeat(megabyte) };
  for (const [name, make] of Object.entries(taxonomies)) {
    for (const [kind, text] of Object.entries(texts)) {
      const row = `${name}, over ${kind}`;
      const { ms, outcome } = await best(classification, text, make());
      secondsPerMegabyte[row] = { classification: rounded((ms / 1_000) * (megabyte / text.length)) };
      if (outcome !== 'done') (outcomes.classification ??= {})[row] = outcome;
    }
  }
}

const worst = Math.max(...Object.values(secondsPerMegabyte).flatMap((row) => Object.values(row)));
const machine = {
  cores: os.availableParallelism(),
  node: process.version,
  loadBefore: rounded(load1),
  loadAfter: rounded(os.loadavg()[0]),
};
console.log(
  JSON.stringify({ words, ordinary, secondsPerMegabyte, longestHostileBlockMs: blocks, refusals: outcomes, machine }),
);
console.table(ordinary);
console.table(secondsPerMegabyte);
console.log(`worst: ${worst} s per megabyte (limit 5)`);
process.exitCode = worst > 5 ? 1 : 0;
