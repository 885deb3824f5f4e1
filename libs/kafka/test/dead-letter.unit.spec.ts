import { describe, expect, it } from '@jest/globals';
import { PoisonMessage } from '@anabranch/failures';
import { deadLetterHeaders } from '../src/consumer/dead-letter.js';
import { undecodable } from '../src/consumer/next-step.js';
import { headerText } from '../src/index.js';

const record = {
  topic: 'document.ingested',
  partition: 3,
  offset: 42,
  timestamp: 0,
  key: null,
  value: null,
  headers: [
    ['__connect.errors.topic', Buffer.from('an earlier dead letter')],
    ['binary', Buffer.from([255, 0])],
  ] as [string, Buffer][],
};

describe('the headers of a dead letter', () => {
  const verdict = undecodable(new PoisonMessage('TOMBSTONE', `no value ${'x'.repeat(2_000)}`), Date.UTC(2026, 0, 1));
  const headers = deadLetterHeaders(record, 'anabranch.summary', verdict);

  it('begin with those of the record, untouched', () => {
    expect(headers.slice(0, 2)).toEqual(record.headers);
  });

  it('say why it is here; where a name repeats, the last counts', () => {
    const text = (name: string) => headerText({ headers }, name);
    expect(text('__connect.errors.topic')).toBe('document.ingested');
    expect(text('__connect.errors.partition')).toBe('3');
    expect(text('__connect.errors.offset')).toBe('42');
    expect(text('__connect.errors.connector.name')).toBe('anabranch.summary');
    expect(text('__connect.errors.stage')).toBe('VALUE_CONVERTER');
    expect(text('__connect.errors.exception.class.name')).toBe('PoisonMessage');
    expect(text('anabranch-failure-code')).toBe('TOMBSTONE');
    expect(text('anabranch-attempts')).toBe('1');
    expect(text('anabranch-first-failed-at')).toBe('2026-01-01T00:00:00.000Z');
    expect(text('no such header')).toBeUndefined();
  });

  it('are of bounded size', () => {
    expect(headerText({ headers }, '__connect.errors.exception.message')?.length).toBe(500);
  });
});
