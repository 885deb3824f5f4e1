import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PoisonMessage, RetryLater } from '@anabranch/failures';
import { eventually } from '@anabranch/test-support';
import type { BrokerRecord, RecordHeader } from '../src/broker-port.js';
import type { SettledFailure } from '../src/index.js';
import type { RawRecord } from '../src/producer/event-producer.js';
import { Platform } from './harness/platform.js';
import { readTopic } from './harness/read-topic.js';

const topic = 'document.ingested';
const binary = Buffer.from([0, 255, 1, 254, 128]);

/** Names that alternate, repeat, look like numbers or JSON; values that are binary, empty or missing. */
const awkwardHeaders: RecordHeader[] = [
  ['b', Buffer.from('1')],
  ['a', binary],
  ['b', Buffer.from('2')],
  ['2', Buffer.from('{"not": "parsed"}')],
  ['1', Buffer.alloc(0)],
  ['{', null],
  ['a', binary],
];

describe('poison among good records', () => {
  let platform: Platform;
  let poison: Record<string, RawRecord>;
  let dead: BrokerRecord[];
  const handled: string[] = [];
  const settled: { documentId: string; failure: SettledFailure }[] = [];

  beforeAll(async () => {
    platform = await Platform.start({ partitions: 1 });
    poison = await poisonRecords(platform);
    const group = platform.uniqueGroup();
    const consumer = platform.consumer({
      group,
      topics: {
        [topic]: {
          handler: ({ event: { documentId } }) => {
            handled.push(documentId);
            if (documentId === 'refusing')
              throw new PoisonMessage('REVISION_CONFLICT', 'Another content was accepted.');
            if (documentId === 'failing') throw new Error('quotes the text of the document');
            if (documentId === 'unlucky') throw new RetryLater('The model is busy.', { afterMs: 0 });
            return Promise.resolve();
          },
        },
      },
      onSettled: ({ event }, failure) => {
        settled.push({ documentId: event.documentId, failure });
        return Promise.resolve();
      },
      settings: { retry: { maxAttempts: 5, maxBugAttempts: 2, maxAgeMs: 120_000, firstWaitMs: 5, maxWaitMs: 20 } },
    });
    for (const [name, record] of Object.entries(poison)) {
      await platform.publish(`good-${name}`, 'good');
      await platform.producer.publishRaw(topic, record);
    }
    await platform.publish('good-last', 'good');
    await consumer.start();
    const count = Object.keys(poison).length;
    await eventually(async () => (await platform.committed(group)).get(0) === 2 * count + 1);
    dead = await readTopic(platform.config, 'dead-letters', count);
  });
  afterAll(() => platform.close());

  it('stops no good record', () => {
    const good = [...Object.keys(poison).map((name) => `good-${name}`), 'good-last'];
    expect(handled.filter((documentId) => documentId.startsWith('good'))).toEqual(expect.arrayContaining(good));
  });

  it('becomes one dead letter for each record', () => {
    const codes = dead.map((letter) => reason(letter, 'anabranch-failure-code') ?? 'none');
    expect(countOf(codes)).toEqual({
      DECODE_FAILED: 4,
      UNKNOWN_SCHEMA_ID: 1,
      TOMBSTONE: 1,
      REVISION_CONFLICT: 1,
      HANDLER_FAILED: 1,
      RETRIES_EXHAUSTED: 1,
    });
  });

  it('keeps key, value and all headers of the record byte for byte', () => {
    for (const record of Object.values(poison)) {
      const letter = dead.find(({ key, value }) => same(key, record.key) && same(value, record.value));
      expect(letter?.headers.slice(0, record.headers.length)).toEqual(record.headers);
    }
  });

  it('says where the record was, what failed, when and how often', () => {
    const letter = dead.find((candidate) => reason(candidate, 'anabranch-failure-code') === 'RETRIES_EXHAUSTED');
    const names = letter?.headers.map(([name]) => name);
    expect(names).toEqual([
      '__connect.errors.topic',
      '__connect.errors.partition',
      '__connect.errors.offset',
      '__connect.errors.connector.name',
      '__connect.errors.stage',
      '__connect.errors.class.name',
      '__connect.errors.exception.class.name',
      '__connect.errors.exception.message',
      'anabranch-attempts',
      'anabranch-first-failed-at',
      'anabranch-last-failed-at',
      'anabranch-failure-code',
    ]);
    expect(reason(letter, '__connect.errors.topic')).toBe(`${platform.config.topicPrefix}${topic}`);
    expect(reason(letter, 'anabranch-attempts')).toBe('5');
    expect(reason(letter, '__connect.errors.exception.message')).toBe('Given up after 5 tries: The model is busy.');
    expect(Date.parse(reason(letter, 'anabranch-last-failed-at') ?? '')).toBeGreaterThan(0);
  });

  it('is tried as often as its failure allows', () => {
    expect(countOf(handled)).toMatchObject({ refusing: 1, failing: 2, unlucky: 5 });
  });

  it('is settled after its dead letter when it could be decoded, and quotes no document', () => {
    expect(settled).toHaveLength(3);
    expect(Object.fromEntries(settled.map(({ documentId, failure }) => [documentId, failure.code]))).toEqual({
      failing: 'HANDLER_FAILED',
      refusing: 'REVISION_CONFLICT',
      unlucky: 'RETRIES_EXHAUSTED',
    });
    const headers = dead.flatMap(({ headers }) => headers.map(([, value]) => String(value)));
    expect(headers.join()).not.toContain('quotes the text');
  });
});

async function poisonRecords(platform: Platform): Promise<Record<string, RawRecord>> {
  const good = await platform.encoded('document', 'a text that is long enough to be cut');
  const wrongMagic = Buffer.from(good).fill(7, 0, 1);
  const unknownId = Buffer.concat([Buffer.from([0, 0x7f, 0xff, 0xff, 0x00]), good.subarray(5)]);
  // The first field is a string whose length claims to be two gigabytes.
  const hugeLength = Buffer.concat([good.subarray(0, 5), Buffer.from([0xfe, 0xff, 0xff, 0xff, 0x0f])]);
  const raw = (value: Buffer | null, key: Buffer | null = binary, headers = awkwardHeaders) => ({
    key,
    value,
    headers,
  });
  return {
    'wrong magic byte': raw(wrongMagic),
    'too short': raw(Buffer.from([0, 0, 0]), null),
    'unknown schema id': raw(unknownId),
    'truncated body': raw(good.subarray(0, good.length - 20)),
    'huge claimed length': raw(hugeLength),
    tombstone: raw(null, Buffer.from('tombstone')),
    'refused by its handler': raw(await platform.encoded('refusing', 'text')),
    'a bug in its handler': raw(await platform.encoded('failing', 'text')),
    'out of luck': raw(await platform.encoded('unlucky', 'text'), Buffer.from('unlucky'), []),
  };
}

function reason(letter: BrokerRecord | undefined, name: string): string | undefined {
  return letter?.headers.findLast(([header]) => header === name)?.[1]?.toString();
}

function countOf(values: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
}

function same(a: Buffer | null, b: Buffer | null): boolean {
  return a === null || b === null ? a === b : a.equals(b);
}
