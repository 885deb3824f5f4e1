import { describe, expect, it } from '@jest/globals';
import avro, { type Schema } from 'avsc';
import fc from 'fast-check';
import {
  createDecoder,
  encodeValue,
  fillDefaults,
  readHeader,
  type AnalysisFinished,
  type AnalysisTopic,
  type DocumentIngested,
} from '../src/index.js';
import { changedSchema, eventTopics, exampleOf, schemaText, valuesOf, type RecordSchema } from './schemas.js';

const minimal = { tenantId: 'acme', documentId: 'd-1', revision: 1, occurredAt: 1_779_012_000_000, text: 'Hello.' };
const schemaId = 0x01020304;

function decodeIngested(
  value: Buffer,
  writerSchema: object | string = schemaText('document.ingested'),
): DocumentIngested {
  const { schemaId: id, body } = readHeader(value);
  return createDecoder('document.ingested').decode(id, writerSchema, body);
}

/** A value as a producer writes it that was built at another time, with another version of the schema. */
function encodeAs(schema: RecordSchema, event: object): Buffer {
  return Buffer.concat([Buffer.from([0, 0, 0, 0, 1]), avro.Type.forSchema(schema as Schema).toBuffer(event)]);
}

function catchError(action: () => unknown): Error {
  try {
    action();
  } catch (error) {
    return error as Error;
  }
  throw new Error('nothing was thrown');
}

describe('what is encoded is what is decoded', () => {
  it('there are topics to try', () => {
    expect(eventTopics.length).toBeGreaterThanOrEqual(7);
  });

  it.each(eventTopics)('the example of %s survives unchanged', (topic) => {
    const value = encodeValue(topic, exampleOf(topic), schemaId);
    const { schemaId: id, body } = readHeader(value);
    expect(id).toBe(schemaId);
    expect(createDecoder(topic).decode(id, schemaText(topic), body)).toEqual(exampleOf(topic));
  });

  it.each(eventTopics)('any event of %s survives unchanged', (topic) => {
    const decoder = createDecoder(topic);
    fc.assert(
      fc.property(valuesOf(JSON.parse(schemaText(topic))), (event) => {
        const { body } = readHeader(encodeValue(topic, event as never, schemaId));
        expect(decoder.decode(schemaId, schemaText(topic), body)).toEqual(event);
      }),
      { numRuns: 60 },
    );
  });

  it.each([2 ** 52, 2 ** 52 + 1, -(2 ** 52) - 1, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER])(
    'the whole number %d keeps its value; avsc alone changes it without a word',
    (bytes) => {
      const textRef = { key: 'acme/a', sha256: '', bytes };
      expect(decodeIngested(encodeValue('document.ingested', { ...minimal, textRef }, 1)).textRef?.bytes).toBe(bytes);
    },
  );

  it('an event larger than any before it is written whole', () => {
    const text = 'äöü€😀'.repeat(200_000);
    expect(decodeIngested(encodeValue('document.ingested', { ...minimal, text }, 1)).text).toBe(text);
  });

  it('code that names no analysis writes and reads the common part', () => {
    const topic: AnalysisTopic = 'analysis.summary.finished';
    const event: AnalysisFinished = exampleOf(topic);
    const { body } = readHeader(encodeValue<AnalysisTopic>(topic, event, 1));
    const decoded: AnalysisFinished = createDecoder<AnalysisTopic>(topic).decode(1, schemaText(topic), body);
    expect(decoded).toEqual(event);
  });
});

describe('a producer fills as little as possible', () => {
  it('five fields make a document.ingested; the rest are defaults', () => {
    expect(fillDefaults('document.ingested', minimal)).toEqual({
      ...minimal,
      eventId: '',
      jobId: '',
      correlationId: '',
      causationId: '',
      textRef: null,
      textSha256: '',
      mediaType: 'text/plain',
      charset: null,
      language: null,
      metadata: {},
      requestedAnalyses: [],
      deadlineMs: 0,
      priority: 'NORMAL',
      sensitivity: 'INTERNAL',
      sourceEventId: null,
      stream: false,
    });
  });

  it.each(['tenantId', 'documentId', 'revision', 'occurredAt'] as const)('%s cannot be left out', (field) => {
    const { [field]: _, ...event } = minimal;
    expect(() => fillDefaults('document.ingested', event as never)).toThrow(
      expect.objectContaining({ code: 'INVALID_EVENT', message: expect.stringContaining(field) }),
    );
  });

  it('defaults are not shared between events', () => {
    fillDefaults('document.ingested', minimal).requestedAnalyses.push('summary');
    expect(fillDefaults('document.ingested', minimal).requestedAnalyses).toEqual([]);
  });

  it('lone surrogates, which have no UTF-8, are replaced, so that strict readers can read on', () => {
    const event = { ...minimal, text: 'a\ud800b', metadata: { note: '\udc00' } };
    const { body } = readHeader(encodeValue('document.ingested', event, 1));
    expect(body.includes(Buffer.from('a\ufffdb'))).toBe(true);
    const decoded = fillDefaults('document.ingested', event);
    expect([decoded.text, decoded.metadata.note]).toEqual(['a\ufffdb', '\ufffd']);
  });

  it('a label called __proto__ is a label', () => {
    const metadata = JSON.parse('{"__proto__":"x","b":"y"}') as Record<string, string>;
    const decoded = decodeIngested(encodeValue('document.ingested', { ...minimal, metadata }, 1));
    expect(Object.entries(decoded.metadata)).toEqual([
      ['__proto__', 'x'],
      ['b', 'y'],
    ]);
  });
});

describe('an event that does not fit is refused before it is sent, and nothing of it is quoted', () => {
  const secret = 'Dear Ms Meyer';
  it.each([
    ['a value of the wrong type', { ...minimal, text: [secret] }, 'text is not null or string'],
    ['a number beyond 2^53', { ...minimal, revision: 2 ** 53 }, 'revision is not long'],
    ['a fraction', { ...minimal, revision: 1.5 }, 'revision is not long'],
    ['an unknown symbol', { ...minimal, priority: secret }, 'priority is not anabranch.document.ingested.Priority'],
    ['a nested field', { ...minimal, textRef: { key: secret, bytes: 1 } }, 'textRef.sha256 is not string'],
    ['an item of a list', { ...minimal, requestedAnalyses: ['summary', 7] }, 'requestedAnalyses.1 is not string'],
    ['an entry of a map', { ...minimal, metadata: { [secret]: 7 } }, 'metadata.* is not string'],
    ['no event at all', null, 'the event is not anabranch.document.ingested.DocumentIngested'],
  ])('%s', (_, event, reason) => {
    const failure = catchError(() => encodeValue('document.ingested', event as never, 1));
    expect(failure).toMatchObject({ name: 'PoisonMessage', code: 'INVALID_EVENT' });
    expect(failure.message).toContain(reason);
    expect(failure.message).not.toContain(secret);
    expect(failure.cause).toBeUndefined();
  });
});

describe('producers and consumers upgrade independently', () => {
  it('a field of a newer producer is passed over, whatever it holds', () => {
    const newer = changedSchema('document.ingested', ({ fields }) => {
      fields.splice(3, 0, { name: 'pages', type: { type: 'array', items: { type: 'map', values: 'long' } } });
    });
    const value = encodeAs(newer, { ...minimal, pages: [{ a: 1, b: 2 }, {}, { c: 3 }] });
    expect(decodeIngested(value, newer)).toEqual(fillDefaults('document.ingested', minimal));
  });

  it('a field that an older producer does not know gets its default', () => {
    const older = changedSchema('document.ingested', (schema) => {
      schema.fields = schema.fields.filter(({ name }) => name !== 'metadata' && name !== 'stream');
    });
    expect(decodeIngested(encodeAs(older, minimal), older)).toEqual(fillDefaults('document.ingested', minimal));
  });

  it('a symbol that the reader does not know is UNKNOWN', () => {
    const newer = changedSchema('document.ingested', ({ fields }) => {
      for (const { name, type } of fields)
        if (name === 'priority') (type as { symbols: string[] }).symbols.push('URGENT');
    });
    expect(decodeIngested(encodeAs(newer, { ...minimal, priority: 'URGENT' }), newer).priority).toBe('UNKNOWN');
  });

  it('an int of another producer is read as the long that it stands for', () => {
    const other = changedSchema('document.ingested', ({ fields }) => {
      Object.assign(fields.find(({ name }) => name === 'revision') ?? {}, { type: 'int' });
    });
    expect(decodeIngested(encodeAs(other, { ...minimal, revision: 7 }), other).revision).toBe(7);
  });

  it('a writer’s schema is compiled once per id: the second record of an id does not look at it again', () => {
    const decoder = createDecoder('document.ingested');
    const { body } = readHeader(encodeValue('document.ingested', minimal, 9));
    decoder.decode(9, schemaText('document.ingested'), body);
    expect(decoder.decode(9, 'not looked at', body).documentId).toBe('d-1');
    expect(() => decoder.decode(10, 'not a schema', body)).toThrow(expect.objectContaining({ code: 'DECODE_FAILED' }));
  });
});
