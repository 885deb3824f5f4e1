import { describe, expect, it } from '@jest/globals';
import { encodeValue, topics, type DocumentIngestedInput } from '@anabranch/contracts';
import type { BrokerRecord } from '../src/broker-port.js';
import type { DecodedRecord } from '../src/consumer/intake.js';
import { bindSubscriptions, type Subscription } from '../src/consumer/subscriptions.js';
import type { DocumentIngested } from '@anabranch/contracts';

const schema = topics['document.ingested'].versions.at(-1)?.schema ?? '';
const registry = { cachedWriterSchema: () => schema, writerSchema: () => Promise.resolve(schema) };
const handler = () => Promise.resolve();

function bind(subscription: Partial<Subscription<DocumentIngested>> = {}) {
  return bindSubscriptions({ 'document.ingested': { handler, ...subscription } }, registry, (topic) => `here.${topic}`);
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
