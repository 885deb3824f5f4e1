import { describe, expect, it } from '@jest/globals';
import { fileURLToPath } from 'node:url';
import { checkRepository, checkSources } from '../contracts/check.mjs';
import { readSources } from '../contracts/sources.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

interface Field {
  name: string;
  type: unknown;
  [key: string]: unknown;
}

interface Topic {
  name: string;
  settings: Record<string, unknown>;
  versions: { version: number; file: string; schema: { fields: Field[] }; example: Record<string, unknown> }[];
}

/** The repository's own sources, changed; and the faults that the check finds in them. */
function faultsAfter(topicName: string, change: (topic: Topic, all: Topic[]) => void): string[] {
  const topics = structuredClone(readSources(`${root}/schemas`).topics) as Topic[];
  const topic = topics.find(({ name }) => name === topicName);
  if (topic === undefined) throw new Error(`no topic ${topicName}`);
  change(topic, topics);
  return checkSources({ topics, faults: [] }).faults;
}

const fieldOf = (topic: Topic, name: string): Field => {
  const field = topic.versions.at(-1)?.schema.fields.find((each) => each.name === name);
  if (field === undefined) throw new Error(`no field ${name}`);
  return field;
};

/** A second version of document.ingested, changed from the first. */
const nextVersion = (change: (topic: Topic) => void) => (topic: Topic) => {
  const [first] = topic.versions;
  if (first === undefined) throw new Error('no version');
  topic.versions.push({ ...structuredClone(first), version: 2, file: 'document.ingested/v2.avsc' });
  change(topic);
};

const option = (name: string, more: object = {}): Field => ({
  name,
  type: ['null', 'string'],
  default: null,
  sensitivity: 'internal',
  doc: 'New.',
  ...more,
});

describe('the contracts of this repository', () => {
  it('are sound, and the check looked at all of them', () => {
    const { faults, seen } = checkRepository(root);
    expect(faults).toEqual([]);
    expect(seen.topics).toBeGreaterThanOrEqual(8);
    expect(seen.versions).toBeGreaterThanOrEqual(7);
  });

  it('a check that found no schema to look at is no pass', () => {
    expect(checkSources({ topics: [], faults: [] }).faults).toEqual([expect.stringContaining('nothing was checked')]);
  });
});

describe('a topic that is not whole is found, with what to do', () => {
  it.each<[string, Record<string, unknown>]>([
    ['description', { description: '' }],
    ['partitions must be', { partitions: 0 }],
    ['retentionMs', { retentionMs: '7 days' }],
    ['producers', { producers: [] }],
    ['consumers', { consumers: undefined }],
    ['compatibility', { compatibility: 'NONE' }],
    ['analysis.NAME.finished', { analysis: 'summary' }],
    ['same number of partitions', { partitions: 12 }],
  ])('%s', (rule, settings) => {
    const faults = faultsAfter('document.ingested', (topic) => Object.assign(topic.settings, settings));
    expect(faults[0]).toContain(rule);
  });

  it('a gap in the versions', () => {
    const faults = faultsAfter('document.ingested', (topic) => Object.assign(topic.versions[0] ?? {}, { version: 2 }));
    expect(faults).toEqual([expect.stringContaining('v1.avsc is missing')]);
  });
});

describe('a schema that could not grow, or would leak, is found', () => {
  it.each<[string, Record<string, unknown>]>([
    ['DocumentIngested.charset needs a sensitivity', { sensitivity: undefined }],
    ['DocumentIngested.charset needs a sensitivity', { sensitivity: 'secret' }],
    ['DocumentIngested.charset needs a doc', { doc: '' }],
    ['null and one type only', { type: ['null', 'string', 'long'] }],
    ['null and one type only', { type: ['string', 'null'], default: 'utf-8' }],
    [
      'the enum Charset needs the symbol UNKNOWN',
      { type: { type: 'enum', name: 'Charset', symbols: ['A'] }, default: 'A' },
    ],
    ['logical type date', { type: { type: 'int', logicalType: 'date' }, default: 0 }],
    ['is not Avro', { type: 'text' }],
    ['is not Avro', { default: 5 }],
  ])('%s', (rule, change) => {
    const faults = faultsAfter('document.ingested', (topic) => Object.assign(fieldOf(topic, 'charset'), change));
    expect(faults.join('\n')).toContain(rule);
    expect(faults.every((fault) => fault.includes('schemas/document.ingested/v1'))).toBe(true);
  });

  it('an event without the fields that place it', () => {
    const faults = faultsAfter('document.enriched', (topic) => {
      Object.assign(fieldOf(topic, 'occurredAt'), { type: 'long' });
    });
    expect(faults).toEqual([expect.stringContaining('occurredAt of type timestamp-millis')]);
  });

  it.each([
    ['revision does not fit', { revision: '1' }],
    ['the event has a field that the schema does not know', { colour: 'red' }],
  ])('an example of which %s', (rule, change) => {
    const faults = faultsAfter('document.ingested', ({ versions }) =>
      Object.assign(versions[0]?.example ?? {}, change),
    );
    expect(faults).toEqual([expect.stringContaining(`v1.example.json: ${rule}`)]);
  });

  it('a namespace that two topics share', () => {
    const faults = faultsAfter('document.ingested', (topic) => {
      Object.assign(topic.versions[0]?.schema ?? {}, { namespace: 'anabranch.document.enriched' });
    });
    expect(faults).toEqual([expect.stringContaining('belongs to document.enriched')]);
  });

  it('a name that the generator uses', () => {
    const faults = faultsAfter('document.ingested', (topic) => {
      Object.assign(fieldOf(topic, 'priority').type as object, { name: 'PriorityInput' });
    });
    expect(faults).toEqual([expect.stringContaining('PriorityInput')]);
  });

  it('a shared record that has grown apart', () => {
    const faults = faultsAfter('document.ingested', (topic) => {
      const [, record] = fieldOf(topic, 'textRef').type as [null, { fields: Field[] }];
      record.fields.push(option('etag'));
    });
    expect(faults.join('\n')).toMatch(/ContentRef differs|differs from the ContentRef/);
  });

  it('an analysis whose event differs from the others in more than its result', () => {
    const faults = faultsAfter('analysis.summary.finished', ({ versions }) => {
      versions[0]?.schema.fields.push(option('mood'));
    });
    expect(faults).toEqual([expect.stringContaining('outcome.result')]);
  });
});

describe('a next version must be read by old readers, and old events by it', () => {
  it.each<[string, (topic: Topic) => void, string?]>([
    ['a field with a default', ({ versions }) => versions[1]?.schema.fields.push(option('author'))],
    [
      'a new symbol of an enum',
      (topic) => (fieldOf(topic, 'state').type as { symbols: string[] }).symbols.push('ARCHIVED'),
      'document.enriched',
    ],
    [
      'a field that becomes more sensitive',
      (topic) => Object.assign(fieldOf(topic, 'charset'), { sensitivity: 'restricted' }),
    ],
    ['another doc', (topic) => Object.assign(fieldOf(topic, 'charset'), { doc: 'Better words.' })],
  ])('%s is allowed', (_, change, topicName = 'document.ingested') => {
    expect(faultsAfter(topicName, nextVersion(change))).toEqual([]);
  });

  it.each<[string, string, (topic: Topic) => void]>([
    [
      'a field without a default',
      'cannot read v1',
      ({ versions }) => versions[1]?.schema.fields.push({ ...option('author'), type: 'string', default: undefined }),
    ],
    [
      'a required field that is gone',
      'reader of v1 cannot read v2',
      ({ versions }) => {
        const schema = versions[1]?.schema;
        if (schema) schema.fields = schema.fields.filter(({ name }) => name !== 'revision');
      },
    ],
    [
      'a wider type',
      'reader of v1 cannot read v2',
      (topic) => Object.assign(fieldOf(topic, 'deadlineMs'), { type: 'double' }),
    ],
    [
      'a symbol that is gone',
      'lost LOW',
      (topic) => {
        const priority = fieldOf(topic, 'priority').type as { symbols: string[] };
        priority.symbols = priority.symbols.filter((symbol) => symbol !== 'LOW');
      },
    ],
    [
      'an option where there was a value',
      'changed the branches',
      (topic) => Object.assign(fieldOf(topic, 'mediaType'), { type: ['null', 'string'], default: null }),
    ],
    [
      'a field that turns less sensitive',
      'less sensitive',
      (topic) => Object.assign(fieldOf(topic, 'text'), { sensitivity: 'public' }),
    ],
    ['a default that is gone', 'lost its default', (topic) => delete fieldOf(topic, 'stream').default],
  ])('%s is not', (_, rule, change) => {
    expect(faultsAfter('document.ingested', nextVersion(change)).join('\n')).toContain(rule);
  });

  it('transitive means all versions: what only the last but one could read is found', () => {
    const faults = faultsAfter('document.ingested', (topic) => {
      nextVersion(({ versions }) => versions[1]?.schema.fields.push(option('author')))(topic);
      const second = topic.versions[1];
      if (second === undefined) throw new Error('no second version');
      topic.versions.push({ ...structuredClone(second), version: 3, file: 'document.ingested/v3.avsc' });
      delete fieldOf(topic, 'author').default;
      Object.assign(fieldOf(topic, 'author'), { type: 'string' });
    });
    expect(faults.join('\n')).toContain('v3 against v1');
  });
});
