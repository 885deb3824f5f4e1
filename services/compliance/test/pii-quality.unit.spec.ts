import { readdirSync, readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { runAtOnce } from '@anabranch/analysis-runtime/testing';
import { createOffsets } from '@anabranch/text';
import type { FindingInput } from '@anabranch/contracts';
import { inspect } from '../src/compliance.engine.js';
import { defaultRuleset } from '../src/default-ruleset.js';

interface Gold {
  text: string;
  spans: { type: string; start: number; end: number }[];
}

const typeOf: Readonly<Record<string, string>> = {
  EMAIL_ADDRESS: 'EMAIL',
  US_SSN: 'SSN',
  IP_ADDRESS: 'IP',
  DOMAIN_NAME: 'URL',
  IBAN_CODE: 'IBAN',
  CREDIT_CARD: 'CARD',
  PHONE_NUMBER: 'PHONE',
};
// Floors of the design (analyses §3): [precision, recall] of exact spans.
const floors: Readonly<Record<string, readonly [precision: number, recall: number]>> = {
  EMAIL: [0.97, 0.99],
  SSN: [0.97, 0.99],
  IP: [0.97, 0.99],
  URL: [0.97, 0.99],
  IBAN: [0.97, 0.93],
  CARD: [0.97, 0.9],
  PHONE: [0.9, 0.75],
};

const findingsIn = (text: string): FindingInput[] =>
  runAtOnce(inspect({ text, offsets: createOffsets(text), ruleset: defaultRuleset })).findings;

const documents = (): Gold[] =>
  readFileSync(new URL('./evaluation/pii-presidio-synth.jsonl', import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Gold);

interface Counts {
  gold: number;
  found: number;
  right: number;
}

const measure = (): Map<string, Counts> => {
  const counts = new Map(Object.keys(floors).map((type) => [type, { gold: 0, found: 0, right: 0 }]));
  for (const { text, spans } of documents()) {
    const offsets = createOffsets(text);
    const gold = new Set<string>();
    for (const { type, start, end } of spans) {
      const known = counts.get(typeOf[type] ?? '');
      if (known === undefined) continue;
      known.gold += 1;
      gold.add(`${typeOf[type]} ${offsets.toCodePoint(start)} ${offsets.toCodePoint(end)}`);
    }
    for (const { type, begin, end } of findingsIn(text)) {
      const known = counts.get(type);
      if (known === undefined) continue;
      known.found += 1;
      if (gold.has(`${type} ${begin} ${end}`)) known.right += 1;
    }
  }
  return counts;
};

const print = (line: string): void => {
  process.stdout.write(`  quality: ${line}\n`);
};

describe('compliance finds what it says', () => {
  let counts: Map<string, Counts>;
  beforeAll(() => {
    counts = measure();
  });

  it.each(Object.entries(floors))('%s: precision and recall are above their floors', (type, [precision, recall]) => {
    const { gold, found, right } = counts.get(type) ?? { gold: 0, found: 0, right: 0 };
    print(
      `${type} on pii-presidio-synth: precision ${(right / found).toFixed(3)}, recall ${(right / gold).toFixed(3)} of ${gold}`,
    );
    expect(right / found).toBeGreaterThanOrEqual(precision);
    expect(right / gold).toBeGreaterThanOrEqual(recall);
  });

  it('and next to nothing in ordinary text that holds none', () => {
    const folder = new URL('../../../e2e/test/documents/english/', import.meta.url);
    let words = 0;
    let findings = 0;
    for (const name of readdirSync(folder)) {
      const text = readFileSync(new URL(name, folder), 'latin1');
      words += text.split(/\s+/).length;
      findings += findingsIn(text).length;
    }
    print(`false findings in ${words} words of speeches: ${findings}`);
    expect(words).toBeGreaterThan(40_000);
    expect(findings).toBeLessThanOrEqual(1);
  });
});
