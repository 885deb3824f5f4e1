import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { analyses, eventually, get, script, settled, submit, textOf, unique, type Result } from '../src/platform.js';
import { dump } from '../src/topics.js';

jest.setTimeout(180_000);

// Pairs of surrogates, a family of seven code points, combining marks, two directions of writing, and CRLF.
const sentences = [
  'Hello 😀, I am Ada Lovelace, and I work for Acme Corp. in Zoë\u0308’s office 👩‍👩‍👧‍👦.',
  'The support was excellent 🎉 and the view of café e\u0301te\u0301 was wonderful!',
  'שלום עולם 🕎, the refund of the invoice is wrong and terrible 😡.',
  'Pay 4111 1111 1111 1111 💳 or write to jane.doe@example.com 📧 about the contract with Grace Hopper.',
];
const text = sentences.join('\r\n\r\n');

interface Span {
  begin: number;
  end: number;
  text?: string;
  type?: string;
}

interface Shown extends Result {
  offsets: string;
}

/** Every object with a begin and an end, wherever it stands. */
const spansOf = (value: unknown): Span[] => {
  if (value === null || typeof value !== 'object') return [];
  const own = 'begin' in value && 'end' in value ? [value as Span] : [];
  return [...own, ...Object.values(value).flatMap(spansOf)];
};

const show = async (jobId: string, query = ''): Promise<{ raw: string; result: Shown }> => {
  await settled(jobId);
  const response = await get(`/v1/jobs/${jobId}/result${query}`);
  const raw = await response.text();
  if (response.status !== 200) throw new Error(`GET result: ${response.status} ${raw}`);
  return { raw, result: JSON.parse(raw) as Shown };
};

let job: { id: string };
let codePoints: Shown;
let utf16: Shown;

beforeAll(async () => {
  job = await submit({ text, documentId: unique('e2e-results') });
  codePoints = (await show(job.id)).result;
  utf16 = (await show(job.id, '?offsets=utf-16')).result;
});

describe('offsets of a text with emoji, combining marks, right-to-left words and CRLF', () => {
  it('are of the text that the platform gives back, in the unit that the result names', async () => {
    expect(await textOf(job.id)).toBe(text);
    expect([...text].length).toBeLessThan(text.length);
    expect([codePoints.offsets, utf16.offsets]).toEqual(['code-points', 'utf-16']);
    expect(codePoints.state).toBe('complete');
    expect(Object.keys(codePoints.results)).toEqual(analyses);
    expect((await show(job.id, '?offsets=code-points')).result).toEqual(codePoints);
  });

  it.each(analyses)('are exact in both units: %s', (analysis) => {
    const byCodePoint = spansOf(codePoints.results[analysis]);
    const byUnit = spansOf(utf16.results[analysis]);
    expect(byCodePoint.length).toBeGreaterThan(0);
    const points = [...text];
    const texts = byCodePoint.map(({ begin, end }) => points.slice(begin, end).join(''));
    expect(byUnit.map(({ begin, end }) => text.slice(begin, end))).toEqual(texts);
    for (const [index, claimed] of byCodePoint.entries()) {
      if (claimed.text !== undefined) expect(texts[index]).toBe(claimed.text);
      expect(texts[index]?.isWellFormed()).toBe(true);
    }
    // An emoji stands early in every sentence, so the units must differ.
    expect(byUnit.some(({ end }, index) => end !== byCodePoint[index]?.end)).toBe(true);
  });

  it('are those of whole sentences and whole values, where the result does not repeat the text', () => {
    const { sentiment, compliance } = utf16.results as {
      sentiment: { sentences: Span[] };
      compliance: { findings: Span[] };
    };
    const felt = sentiment.sentences.map(({ begin, end }) => text.slice(begin, end));
    expect(felt).toEqual(expect.arrayContaining(sentences.slice(1, 3)));
    expect(sentences).toEqual(expect.arrayContaining(felt));
    const found = compliance.findings.map(({ type, begin, end }) => [type, text.slice(begin, end)]);
    expect(found).toEqual([
      ['CARD', '4111 1111 1111 1111'],
      ['EMAIL', 'jane.doe@example.com'],
    ]);
  });

  it('leave all else as it is', () => {
    const withoutOffsets = ({ results, receipt }: Shown): unknown =>
      JSON.parse(
        JSON.stringify({ results, receipt }, (name, value: unknown) => (/^(begin|end)$/.test(name) ? 0 : value)),
      );
    expect(withoutOffsets(utf16)).toEqual(withoutOffsets(codePoints));
  });

  it('are refused in another unit, with those that there are', async () => {
    const response = await get(`/v1/jobs/${job.id}/result?offsets=bytes`);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ detail: expect.stringMatching(/code-points.*utf-16/) });
  });
});

interface Schema {
  type: string | object;
  name?: string;
  fields?: { name: string; type: unknown }[];
  items?: unknown;
}

/** The fields of each record of an analysis' schema, by the record's name, from the file that is published. */
const recordsOf = (analysis: string): Map<string, { name: string; record: string | undefined }[]> => {
  const records = new Map<string, { name: string; record: string | undefined }[]>();
  const visit = (type: unknown): string | undefined => {
    if (Array.isArray(type)) return type.map(visit).find(Boolean);
    if (typeof type !== 'object' || type === null) return undefined;
    const { fields, name = '', items } = type as Schema;
    if (items !== undefined) return visit(items);
    if (fields === undefined) return undefined;
    records.set(
      name,
      fields.map((field) => ({ name: field.name, record: visit(field.type) })),
    );
    return name;
  };
  const file = resolve(import.meta.dirname, `../../schemas/analysis.${analysis}.finished/v1.avsc`);
  visit(JSON.parse(readFileSync(file, 'utf8')));
  return records;
};

describe('a result is pleasant to read', () => {
  // JSON.parse keeps names in the order of the text.
  it.each(analyses)('its fields are in the order of the schema: %s', (analysis) => {
    const records = recordsOf(analysis);
    const result = [...records.keys()].find((name) => name.endsWith('Result'));
    let compared = 0;
    const check = (value: unknown, record: string | undefined): void => {
      if (Array.isArray(value)) return value.forEach((item) => check(item, record));
      if (typeof value !== 'object' || value === null || record === undefined) return;
      const fields = records.get(record) ?? [];
      const names = Object.keys(value);
      expect(names).toEqual(fields.map(({ name }) => name).filter((name) => names.includes(name)));
      compared += 1;
      for (const { name, record: inner } of fields) check((value as Record<string, unknown>)[name], inner);
    };
    expect(result).toBeDefined();
    check(codePoints.results[analysis], result);
    expect(compared).toBeGreaterThan(1);
  });

  it('its receipt comes first, and its blocks are in order, too', async () => {
    const { raw } = await show(job.id);
    expect(raw).toMatch(
      /^\{"jobId":"[^"]+","documentId":"[^"]+","revision":1,"state":"complete","resultVersion":1,"resultDigest":"[^"]+","final":true,"offsets":"code-points","receipt":\{"complete":true,"analyses":\{/,
    );
    const entry =
      /"summary":\{"outcome":"done","run":1,"engine":\{"kind":"EMBEDDED","name":"[^"]+","version":"[^"]+"\},"coverage":\{"charactersRead":\d+,"charactersTotal":\d+,"truncated":false\},"usage":null,"language":"en","warnings":\[\],"finishedAt":"[^"]+"\}/;
    expect(raw).toMatch(entry);
  });

  it('is the same on document.enriched', async () => {
    const { raw } = await show(job.id);
    const outcomes = await eventually('its document.enriched', async () => {
      const records = await dump('document.enriched');
      const enriched = records.find(({ event }) => event['jobId'] === job.id);
      return enriched?.event['outcomes'] as { analysis: string; resultJson: string }[] | undefined;
    });
    const published = outcomes.map(({ analysis, resultJson }) => `"${analysis}":${resultJson}`);
    expect(raw.endsWith(`"results":{${published.join(',')}}}`)).toBe(true);
  });

  it('has no null but one that says something: that an engine is free, that no label holds', async () => {
    const nulls = (raw: string): string[] => [...raw.matchAll(/"(\w+)":null/g)].map(([, name]) => name ?? '');
    const { raw } = await show(job.id);
    expect(nulls(raw)).toEqual(analyses.map(() => 'usage'));
    const unlabelled = await submit({
      text: 'It was there.',
      analyses: ['classification'],
      documentId: unique('e2e-none'),
    });
    const { raw: none, result } = await show(unlabelled.id);
    expect(nulls(none)).toEqual(['usage', 'label']);
    expect(result.results['classification']).toMatchObject({ label: null, reason: expect.any(String) });
    expect(none).not.toMatch(/\{\}/);
  });
});

describe('docs/results.md', () => {
  it('shows what the platform answers; `npm run docs:results` writes it anew', async () => {
    expect(await script('tools/results-page.mjs', '--check')).toContain('shows what the platform answers');
  });
});
