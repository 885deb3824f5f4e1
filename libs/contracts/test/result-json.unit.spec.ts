import { describe, expect, it } from '@jest/globals';
import fc, { type Arbitrary } from 'fast-check';
import { analysisTopics, renderRecord, renderResult, type AnalysisFinished, type EventTopic } from '../src/index.js';
import { recordShapes, type RecordShape, type Shape } from '../src/record-shape.js';
import { eventTopics, exampleOf, schemaText, valuesOf } from './schemas.js';

const analyses = analysisTopics.map(({ analysis, name }) => ({ analysis: analysis ?? '', topic: name as EventTopic }));

const shapeOf = (topic: EventTopic): RecordShape => {
  const [shape, ...others] = [...recordShapes(topic)].filter(([name]) => name.endsWith('Result'));
  if (shape === undefined || others.length > 0) throw new Error(`${topic} should have one result`);
  return shape[1];
};

/** Any result that the analysis' schema allows, nulls included, as it is stored: JSON has no infinity. */
const resultsOf = (topic: EventTopic): Arbitrary<object> =>
  valuesOf(JSON.parse(schemaText(topic)))
    .map((event) => (event as AnalysisFinished).outcome.result)
    .filter((result): result is object => result !== null)
    .map((result) => JSON.parse(JSON.stringify(result)) as object);

interface Member {
  path: string;
  value: unknown;
  /** Null where the schema does not know the object. */
  shape: Shape | null;
  isNullAnswer: boolean;
}

/** Every member at any depth, with what the schema says of it. */
function membersOf(value: unknown, shape: Shape | null, path = ''): Member[] {
  if (typeof value !== 'object' || value === null) return [];
  const isList = Array.isArray(value);
  return Object.entries(value).flatMap(([name, inner]) => {
    const field = shape?.kind === 'record' ? shape.fields.find((each) => each.name === name) : undefined;
    const items = isList && shape?.kind === 'array' ? shape.items : null;
    const member = {
      path: `${path}/${isList ? '#' : ''}${name}`,
      value: inner,
      isNullAnswer: field?.isNullAnswer ?? false,
    };
    const innerShape = field?.shape ?? items;
    return [{ ...member, shape: innerShape }, ...membersOf(inner, innerShape, member.path)];
  });
}

const isLeaf = ({ value }: Member): boolean =>
  typeof value !== 'object' || value === null || (Array.isArray(value) && value.length === 0);

/** What says something: values that are not null, and lists without items. */
const sayings = (value: unknown, shape: Shape): [string, unknown][] =>
  membersOf(value, shape)
    .filter((member) => isLeaf(member) && member.value !== null)
    .map(({ path, value: said }): [string, unknown] => [path, said])
    .sort(([a], [b]) => (a < b ? -1 : 1));

/** The same, with the members of each object in another order. */
const shuffled = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(shuffled);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([name, inner]) => [name, shuffled(inner)]),
  );
};

describe('the results of the analyses', () => {
  it('are all of those that have a schema', () => {
    expect(analyses.length).toBeGreaterThanOrEqual(5);
    for (const { topic } of analyses) expect(shapeOf(topic).fields.length).toBeGreaterThan(0);
  });

  it.each(analyses)('keep all that they say, and no null but an answer: $analysis', ({ analysis, topic }) => {
    const shape = shapeOf(topic);
    fc.assert(
      fc.property(resultsOf(topic), (result) => {
        const rendered = renderResult(analysis, result);
        expect(sayings(rendered, shape)).toEqual(sayings(result, shape));
        for (const { value, isNullAnswer } of membersOf(rendered, shape))
          expect(value !== null || isNullAnswer).toBe(true);
        const answers = (of: unknown): Member[] =>
          membersOf(of, shape).filter(({ value, isNullAnswer }) => value === null && isNullAnswer);
        expect(answers(rendered).map(({ path }) => path)).toEqual(answers(result).map(({ path }) => path));
      }),
      { numRuns: 200 },
    );
  });

  it.each(analyses)('have their fields in the order of the schema, in whatever order they come: $analysis', (each) => {
    fc.assert(
      fc.property(resultsOf(each.topic), (result) => {
        const rendered = renderResult(each.analysis, shuffled(result));
        expect(JSON.stringify(rendered)).toBe(JSON.stringify(renderResult(each.analysis, result)));
        for (const { value, shape } of [
          { value: rendered, shape: shapeOf(each.topic) },
          ...membersOf(rendered, shapeOf(each.topic)),
        ]) {
          if (shape?.kind !== 'record') continue;
          const names = Object.keys(value as object);
          expect(names).toEqual(shape.fields.map(({ name }) => name).filter((name) => names.includes(name)));
        }
      }),
      { numRuns: 200 },
    );
  });

  it.each(analyses)('are left as they are when they are shown again: $analysis', ({ analysis, topic }) => {
    fc.assert(
      fc.property(resultsOf(topic), (result) => {
        const once = renderResult(analysis, result);
        expect(JSON.stringify(renderResult(analysis, once))).toBe(JSON.stringify(once));
      }),
      { numRuns: 100 },
    );
  });

  it.each(analyses)('lose nothing that a newer writer adds, which comes last and as it is: $analysis', (each) => {
    const names = fc.stringMatching(/^x_[a-z]{1,5}$/);
    const added = fc.dictionary(fc.oneof(names, fc.constant('__proto__')), fc.jsonValue(), { minKeys: 1, maxKeys: 4 });
    fc.assert(
      fc.property(resultsOf(each.topic), added, (result, extra) => {
        const more = JSON.parse(`${JSON.stringify(extra).slice(0, -1)},${JSON.stringify(result).slice(1)}`) as object;
        const rendered = JSON.stringify(renderResult(each.analysis, more));
        const known = JSON.stringify(renderResult(each.analysis, result));
        expect(rendered).toBe(`${known === '{}' ? '{' : `${known.slice(0, -1)},`}${JSON.stringify(extra).slice(1)}`);
      }),
      { numRuns: 100 },
    );
  });
});

describe('a null', () => {
  it('is an answer where the schema says what it means, and nowhere else', () => {
    const answers = eventTopics.flatMap((topic) =>
      [...recordShapes(topic)].flatMap(([record, { fields }]) =>
        fields.filter(({ isNullAnswer }) => isNullAnswer).map(({ name }) => `${record}.${name}`),
      ),
    );
    expect([...new Set(answers)].filter((name) => !name.endsWith('Finished.usage')).sort()).toEqual([
      'AnalysisOutcome.finishedAt',
      'ClassificationResult.label',
      'Usage.costMicros',
    ]);
  });

  it('says that no label reaches the threshold, beside the reason and all labels', () => {
    const labels = [{ evidence: [], scoreKind: 'RANK', score: 0.1, name: 'legal' }];
    const result = {
      label: null,
      labels,
      reason: 'NO',
      threshold: 0.5,
      multiLabel: false,
      taxonomy: { version: '1', id: 't' },
    };
    expect(JSON.stringify(renderResult('classification', result))).toBe(
      '{"taxonomy":{"id":"t","version":"1"},"multiLabel":false,"threshold":0.5,"label":null,"reason":"NO",' +
        '"labels":[{"name":"legal","score":0.1,"scoreKind":"RANK","evidence":[]}]}',
    );
  });

  it('that is all there is in a record takes the record with it, but no place in a list', () => {
    const result = { kind: 'EXTRACTIVE', coverage: { strategy: null, chunks: null }, sentences: [{ page: null }] };
    expect(renderResult('summary', result)).toEqual({ kind: 'EXTRACTIVE', sentences: [{}] });
  });

  it('is left out of engine and coverage, and says in usage that the price is not known', () => {
    const engine = { promptVersion: null, model: null, version: '1', name: 'textrank', kind: 'EMBEDDED' };
    expect(JSON.stringify(renderRecord('Engine', engine))).toBe('{"kind":"EMBEDDED","name":"textrank","version":"1"}');
    const coverage = { truncated: false, pagesRead: null, charactersTotal: 2, charactersRead: 2 };
    expect(JSON.stringify(renderRecord('Coverage', coverage))).toBe(
      '{"charactersRead":2,"charactersTotal":2,"truncated":false}',
    );
    expect(renderRecord('Usage', { costMicros: null, currency: 'USD' })).toEqual({ costMicros: null, currency: 'USD' });
  });
});

describe('the result of an analysis that has no schema here', () => {
  it('is shown as it is', () => {
    const result = { b: null, a: { c: null } };
    expect(JSON.stringify(renderResult('horoscope', result))).toBe(JSON.stringify(result));
    for (const other of [null, 3, 'x', [null]]) expect(renderResult('horoscope', other)).toEqual(other);
  });
});

describe('offsets', () => {
  const offsetOf = (codePoint: number): number => codePoint + 100;

  /** Each object that has a begin and an end. */
  const spansIn = (value: unknown): { begin: unknown; end: unknown }[] => {
    if (typeof value !== 'object' || value === null) return [];
    const own = 'begin' in value && 'end' in value ? [{ begin: value.begin, end: value.end }] : [];
    return [...own, ...Object.values(value).flatMap(spansIn)];
  };

  it.each(analyses)('are translated wherever there is a begin and an end, and nothing else is: $analysis', (each) => {
    const result = exampleOf(each.topic) as AnalysisFinished;
    const plain = renderResult(each.analysis, result.outcome.result);
    const translated = renderResult(each.analysis, result.outcome.result, offsetOf);
    const spans = spansIn(plain);
    expect(spans.length).toBeGreaterThan(0);
    expect(spansIn(translated)).toEqual(
      spans.map(({ begin, end }) => ({ begin: Number(begin) + 100, end: Number(end) + 100 })),
    );
    expect(renderResult(each.analysis, translated, (offset) => offset - 100)).toEqual(plain);
  });

  it('that are not known stay away', () => {
    const result = { kind: 'ABSTRACTIVE', sentences: [{ text: 'x', begin: null, end: null }] };
    expect(renderResult('summary', result, offsetOf)).toEqual({ kind: 'ABSTRACTIVE', sentences: [{ text: 'x' }] });
  });

  it('of a newer writer are translated too, but not what only looks like one', () => {
    const extra = { places: [{ begin: 1, end: 2, more: null }], begin: 5, clock: { begin: '10:00', end: '11:00' } };
    expect(renderResult('sentiment', extra, offsetOf)).toEqual({
      places: [{ begin: 101, end: 102, more: null }],
      begin: 5,
      clock: { begin: '10:00', end: '11:00' },
    });
  });

  it('that are none end it', () => {
    const refuse = (): number => {
      throw new RangeError('not within the text');
    };
    const result = { findings: [{ type: 'EMAIL', begin: 1, end: 2 }] };
    expect(() => renderResult('compliance', result, refuse)).toThrow(RangeError);
  });
});
