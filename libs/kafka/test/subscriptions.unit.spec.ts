import { describe, expect, it } from '@jest/globals';
import { encodeValue, topics, type DocumentIngestedInput } from '@anabranch/contracts';
import type { BrokerRecord } from '../src/broker-port.js';
import type { DecodedRecord } from '../src/consumer/work.js';
import {
  bindSubscriptions,
  joinSubscriptions,
  subscribeEach,
  type Subscription,
  type Subscriptions,
} from '../src/consumer/subscriptions.js';
import type { DocumentIngested } from '@anabranch/contracts';

const schema = topics['document.ingested'].versions.at(-1)?.schema ?? '';
const registry = { cachedWriterSchema: () => schema, writerSchema: () => Promise.resolve(schema) };
const handler = () => Promise.resolve();

function bind(subscription: Partial<Subscription<DocumentIngested>> = {}) {
  return bindAll({ 'document.ingested': { handler, ...subscription } });
}

function bindAll<T extends string>(subscriptions: Subscriptions<T>) {
  return bindSubscriptions(subscriptions as unknown as Subscriptions<string>, registry, (topic) => `here.${topic}`);
}

function decode(input: Partial<DocumentIngestedInput>, subscription: Partial<Subscription<DocumentIngested>> = {}) {
  const event = { tenantId: 'tenant', documentId: 'document', revision: 1, occurredAt: 0, text: '', ...input };
  const value = encodeValue('document.ingested', event, 1);
  const record: BrokerRecord = {
    topic: 'here.document.ingested',
    partition: 0,
    offset: 0,
    timestamp: 0,
    key: null,
    value,
    headers: [],
  };
  return bind(subscription).decode(record) as DecodedRecord;
}

describe('a subscribed record', () => {
  it('waits for the turn of its event’s tenant, with its event’s priority', () => {
    expect(decode({ tenantId: 'a', priority: 'HIGH' })).toMatchObject({ tenant: 'a', priority: 'HIGH' });
  });

  it('has the normal priority when the event names none that we know', () => {
    expect(decode({}).priority).toBe('NORMAL');
    expect(decode({ priority: 'UNKNOWN' }).priority).toBe('NORMAL');
  });

  it('waits for the turn that its subscription names', () => {
    const laneOf = ({ documentId }: DocumentIngested) => ({
      tenant: `lane of ${documentId}`,
      priority: 'LOW' as const,
    });
    expect(decode({}, { laneOf })).toMatchObject({ tenant: 'lane of document', priority: 'LOW' });
  });

  it('keeps the order of its document, whatever its turn is', () => {
    expect(decode({ priority: 'HIGH' }).key).toBe(decode({ priority: 'LOW' }).key);
  });
});

describe('a topic’s limit', () => {
  it('counts under the topic’s name at the broker', () => {
    expect([...bind({ maxInFlight: 5 }).limits]).toEqual([['here.document.ingested', 5]]);
  });

  it.each([0, -1, 1.5])('stops the start when it is %p', (maxInFlight) => {
    expect(() => bind({ maxInFlight })).toThrow(`maxInFlight (${maxInFlight}) of the topic document.ingested`);
  });
});

describe('the topics of a consumer', () => {
  it('stop the start when one has no contract, with its name and the way out', () => {
    const misspelt = { 'document.ingestd': { handler } } as unknown as Subscriptions<'document.ingested'>;
    expect(() => bindAll(misspelt)).toThrow(/no contract for the topic document\.ingestd.*schemas\//);
  });

  it('stop the start when one has no handler', () => {
    const without = { 'document.ingested': {} } as unknown as Subscriptions<'document.ingested'>;
    expect(() => bindAll(without)).toThrow('The topic document.ingested has no handler.');
  });

  it('may be ones without a contract when a decoder comes with them', () => {
    const decoder = { decode: (_id: number, _schema: object | string, body: Buffer) => ({ text: String(body) }) };
    const { decode } = bindAll({ 'from a catalogue': { handler, decoder, orderKey: () => 'one' } });
    const value = Buffer.concat([Buffer.from([0, 0, 0, 0, 1]), Buffer.from('content')]);
    const record = { topic: 'here.from a catalogue', partition: 0, offset: 0, timestamp: 0, key: null, headers: [] };
    expect(decode({ ...record, value })).toMatchObject({
      event: { text: 'content' },
      key: 'here.from a catalogue/one',
    });
  });

  it('stop the start when one has two handlers', () => {
    const both = () =>
      joinSubscriptions(
        { 'document.ingested': { handler } },
        subscribeEach(['document.enriched', 'document.ingested'], { handler }),
      );
    expect(both).toThrow('Two handlers for document.ingested');
    expect(() => subscribeEach(['document.ingested', 'document.ingested'], { handler })).toThrow('Two handlers');
  });

  it('change, and what was queued of one that is not consumed any more keeps its handler', () => {
    const bound = bind();
    bound.change({ 'document.enriched': { handler } } as unknown as Subscriptions<string>);
    expect(bound.names).toEqual(['here.document.enriched']);
    expect(bound.handlerOf('here.document.ingested')).toBe(handler);
  });

  it('do not change when one of the new ones is wrong', () => {
    const bound = bind();
    const change = () =>
      bound.change({ 'document.enriched': { handler }, unheard: { handler } } as unknown as Subscriptions<string>);
    expect(change).toThrow('unheard');
    expect(bound.names).toEqual(['here.document.ingested']);
  });
});
