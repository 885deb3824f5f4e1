import { describe, expect, it } from '@jest/globals';
import avro, { type Schema } from 'avsc';
import fc from 'fast-check';
import { createDecoder, encodeValue, readHeader, type EventTopic } from '../src/index.js';
import { changedSchema, eventTopics, exampleOf, schemaText } from './schemas.js';

const poison = expect.objectContaining({ name: 'PoisonMessage', code: 'DECODE_FAILED' });

const decodeBody = (topic: EventTopic, body: Buffer, schema: object | string = schemaText(topic)): unknown =>
  createDecoder(topic).decode(1, schema, body);

const bodyOf = (topic: EventTopic): Buffer => readHeader(encodeValue(topic, exampleOf(topic), 1)).body;

/** A long as Avro writes it, of any size. */
function long(value: bigint): Buffer {
  const bytes: number[] = [];
  let rest = value >= 0n ? value * 2n : -value * 2n - 1n;
  for (; rest >= 128n; rest /= 128n) bytes.push(Number(rest % 128n) | 128);
  return Buffer.from([...bytes, Number(rest)]);
}

/** A document.ingested up to its field `metadata`, which comes before requestedAnalyses. */
function beforeMetadata(): Buffer {
  const until = changedSchema('document.ingested', (schema) => {
    schema.fields = schema.fields.slice(
      0,
      schema.fields.findIndex(({ name }) => name === 'metadata'),
    );
  });
  return avro.Type.forSchema(until as Schema).toBuffer(exampleOf('document.ingested'));
}

/** Runs, and fails when it takes the time or memory that only an unbounded loop or allocation takes. */
function bounded(action: () => void): void {
  const rssBefore = process.memoryUsage().rss;
  const { user } = process.threadCpuUsage();
  action();
  expect(process.threadCpuUsage().user - user).toBeLessThan(5_000_000);
  expect(process.memoryUsage().rss - rssBefore).toBeLessThan(200_000_000);
}

describe('the header', () => {
  it.each([
    ['no byte', []],
    ['four bytes', [0, 0, 0, 0]],
    ['another magic byte', [1, 0, 0, 0, 1, 2]],
    ['JSON', [...Buffer.from('{"tenantId":"acme"}')]],
  ])('%s is poison', (_, bytes) => {
    expect(() => readHeader(Buffer.from(bytes))).toThrow(poison);
  });

  it('ids up to 2^31 - 1 are read as they are', () => {
    expect(readHeader(Buffer.from([0, 127, 255, 255, 255])).schemaId).toBe(2 ** 31 - 1);
  });
});

describe('damaged bodies', () => {
  it.each(eventTopics)('%s cut off at any byte is poison', (topic) => {
    const body = bodyOf(topic);
    const decoder = createDecoder(topic);
    for (let end = 0; end < body.length; end++) {
      expect(() => decoder.decode(1, schemaText(topic), body.subarray(0, end))).toThrow(poison);
    }
  });

  it.each(eventTopics)('%s with a byte too many is poison', (topic) => {
    expect(() => decodeBody(topic, Buffer.concat([bodyOf(topic), Buffer.from([0])]))).toThrow(poison);
  });

  it.each(eventTopics)('%s with any bytes changed decodes or is poison, and never harms', (topic) => {
    const body = bodyOf(topic);
    const change = fc.record({ at: fc.nat(body.length - 1), byte: fc.integer({ min: 0, max: 255 }) });
    bounded(() =>
      fc.assert(
        fc.property(fc.array(change, { minLength: 1, maxLength: 6 }), (changes) => {
          const damaged = Buffer.from(body);
          for (const { at, byte } of changes) damaged[at] = byte;
          expectDecodedOrPoison(topic, damaged);
        }),
        { numRuns: 200 },
      ),
    );
  });

  it('bytes of any kind decode or are poison', () => {
    fc.assert(
      fc.property(fc.constantFrom(...eventTopics), fc.uint8Array({ maxLength: 400 }), (topic, bytes) =>
        expectDecodedOrPoison(topic, Buffer.from(bytes)),
      ),
    );
  });
});

function expectDecodedOrPoison(topic: EventTopic, body: Buffer): void {
  try {
    decodeBody(topic, body);
  } catch (error) {
    expect(error).toEqual(poison);
  }
}

describe('claims that the bytes do not keep', () => {
  const claims = [2n ** 16n, 2n ** 31n, 2n ** 32n, 2n ** 40n, 2n ** 53n, 2n ** 62n, 2n ** 80n];
  const signed = claims.flatMap((claim) => [claim, -claim]);

  it.each(signed)('a text of %d bytes', (claim) => {
    bounded(() => expect(() => decodeBody('document.ingested', long(claim))).toThrow(poison));
  });

  it.each(signed)('a map of %d entries', (claim) => {
    const body = Buffer.concat([beforeMetadata(), long(claim), long(3n), Buffer.alloc(100)]);
    bounded(() => expect(() => decodeBody('document.ingested', body)).toThrow(poison));
  });

  it.each(signed)('a list of %d items', (claim) => {
    const body = Buffer.concat([beforeMetadata(), long(0n), long(claim), long(3n), Buffer.alloc(100)]);
    bounded(() => expect(() => decodeBody('document.ingested', body)).toThrow(poison));
  });

  it.each(signed)('a second block of %d items', (claim) => {
    const oneItem = Buffer.concat([long(1n), long(1n), Buffer.from('a')]);
    const body = Buffer.concat([beforeMetadata(), long(0n), oneItem, long(claim), Buffer.alloc(100)]);
    bounded(() => expect(() => decodeBody('document.ingested', body)).toThrow(poison));
  });

  it.each([
    ['array', { type: 'array', items: 'string' }] as const,
    ['map', { type: 'map', values: 'string' }] as const,
  ])('a block of a skipped %s that leads backwards, which would be read for ever', (_, type) => {
    const newer = changedSchema('document.ingested', ({ fields }) => fields.unshift({ name: 'extra', type }));
    for (const length of [-1n, -2n, -3n, -(2n ** 40n), 2n ** 40n]) {
      const body = Buffer.concat([long(-1n), long(length), Buffer.alloc(40, 2)]);
      bounded(() => expect(() => decodeBody('document.ingested', body, newer)).toThrow(poison));
    }
  });

  it('a million empty items that the bytes do keep are read', () => {
    const count = 1_000_000;
    const items = Buffer.concat([long(BigInt(count)), Buffer.alloc(count), long(0n)]);
    const rest = Buffer.concat([long(0n), long(2n), long(2n), long(0n), Buffer.from([0])]);
    const body = Buffer.concat([beforeMetadata(), long(0n), items, rest]);
    const event = createDecoder('document.ingested').decode(1, schemaText('document.ingested'), body);
    expect(event.requestedAnalyses).toHaveLength(count);
  });

  it.each([2n ** 53n, -(2n ** 53n), 2n ** 63n - 1n, 2n ** 70n])(
    'a revision of %d, which JavaScript would round',
    (revision) => {
      const string = avro.Type.forSchema('string');
      const { tenantId, documentId } = exampleOf('document.ingested');
      const start = Buffer.concat([long(0n), string.toBuffer(tenantId), string.toBuffer(documentId)]);
      const message = expect.stringMatching(/2\^53|ten bytes/);
      expect(() => decodeBody('document.ingested', Buffer.concat([start, long(revision), Buffer.alloc(60)]))).toThrow(
        expect.objectContaining({ code: 'DECODE_FAILED', message }),
      );
    },
  );

  it('a run of more than 32 bits, which no store of ours could keep', () => {
    const event = exampleOf('analysis.summary.finished');
    const type = avro.Type.forSchema(
      changedSchema('analysis.summary.finished', ({ fields }) => {
        Object.assign(fields.find(({ name }) => name === 'run') ?? {}, { type: 'long' });
      }) as Schema,
    );
    expect(() => decodeBody('analysis.summary.finished', type.toBuffer({ ...event, run: 2 ** 31 }))).toThrow(
      expect.objectContaining({ code: 'DECODE_FAILED', message: expect.stringContaining('32 bits') }),
    );
  });
});

describe('schemas of writers that mean harm, or something else', () => {
  const nested = (depth: number): string => '{"type":"array","items":'.repeat(depth) + '"int"' + '}'.repeat(depth);
  const doubling = (depth: number): object =>
    Array.from({ length: depth }).reduce<object>(
      (inner, _, level) => ({
        type: 'record',
        name: `R${level}`,
        fields: [
          { name: 'a', type: inner },
          { name: 'b', type: level === 0 ? 'int' : `R${level - 1}` },
        ],
      }),
      { type: 'record', name: 'Leaf', fields: [{ name: 'n', type: 'null' }] },
    );
  const extra = (type: unknown): object =>
    changedSchema('document.ingested', ({ fields }) => fields.unshift({ name: 'extra', type }));

  it.each([
    ['not JSON', 'syntax = "proto3";'],
    ['JSON that is no schema', 'null'],
    ['the schema of another topic', schemaText('document.enriched')],
    ['a primitive', '"string"'],
    ['lists in lists, ten thousand deep', nested(10_000)],
    ['lists of nothing', extra({ type: 'array', items: 'null' })],
    ['lists of records of nothing', extra({ type: 'array', items: { type: 'record', name: 'E', fields: [] } })],
    ['maps of lists of nothing', extra({ type: 'map', values: { type: 'array', items: 'null' } })],
    ['records that double at each of forty levels', extra(doubling(40))],
    ['a list of records that double', extra({ type: 'array', items: doubling(40) })],
    ['a field whose name is code', extra({ type: 'record', name: 'X', fields: [{ name: 'a;b', type: 'int' }] })],
  ])('%s is poison', (_, schema) => {
    const body = Buffer.concat([long(2n ** 31n), bodyOf('document.ingested')]);
    bounded(() => expect(() => decodeBody('document.ingested', body, schema)).toThrow(poison));
  });

  it.each(['null', 'R'])('records within records without end, with %s first', (first) => {
    const second = first === 'null' ? 'R' : 'null';
    const schema = extra({ type: 'record', name: 'R', fields: [{ name: 'next', type: [first, second] }] });
    const deep = Buffer.alloc(1_000_000, first === 'null' ? 2 : 0);
    bounded(() => expect(() => decodeBody('document.ingested', deep, schema)).toThrow(poison));
  });
});
