import { describe, expect, it } from '@jest/globals';
import { DependencyUnavailable, PoisonMessage, RetryLater } from '@anabranch/failures';
import type { RecordHeader } from '../src/broker-port.js';
import { settled } from '../src/testing/index.js';
import type { SpanAttributes, SpanStart, Tracer } from '../src/tracing.js';
import { SimulatedConsumer } from './harness/simulated-consumer.js';

const partition = { topic: 'topic', partition: 0 };
const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const headers: RecordHeader[] = [['traceparent', Buffer.from(traceparent)]];

class CollectingTracer implements Tracer {
  readonly spans: { name: string; start: SpanStart; traceparent: string; ended?: SpanAttributes }[] = [];

  startSpan(name: string, start: SpanStart) {
    const own = `00-0af7651916cd43dd8448eb211c80319c-000000000000000${this.spans.length + 1}-01`;
    const span: (typeof this.spans)[number] = { name, start, traceparent: own };
    this.spans.push(span);
    return { traceparent: own, end: (attributes: SpanAttributes) => void (span.ended = attributes) };
  }
}

async function receive(consumer: SimulatedConsumer, key: string): Promise<void> {
  consumer.broker.append(partition, { key: Buffer.from(key), headers });
  consumer.broker.deliver();
  await settled();
}

describe('the span of a record', () => {
  it('begins with its handler, below the record’s trace, and has the wait in the queue as an attribute', async () => {
    const tracer = new CollectingTracer();
    const consumer = await SimulatedConsumer.start([partition], { maxInFlight: 1 }, { tracer });
    await receive(consumer, 'a');
    await receive(consumer, 'b');
    expect(tracer.spans).toHaveLength(1);
    await consumer.clock.advance(70);
    await consumer.handlerOf('a').finish();
    expect(tracer.spans[1]).toMatchObject({
      name: 'process topic',
      start: {
        parent: traceparent,
        attributes: {
          'messaging.system': 'kafka',
          'messaging.destination.name': 'topic',
          'messaging.destination.partition.id': '0',
          'messaging.kafka.offset': 1,
          'messaging.consumer.group.name': 'group',
          'anabranch.queue_wait_ms': 70,
          'anabranch.attempt': 1,
        },
      },
    });
    expect(tracer.spans[1]?.ended).toBeUndefined();
  });

  it('ends with its try and says how, without what an error may quote', async () => {
    const tracer = new CollectingTracer();
    const consumer = await SimulatedConsumer.start([partition], {}, { tracer });
    for (const key of ['good', 'poison', 'bug']) await receive(consumer, key);
    await consumer.handlerOf('good').finish();
    await consumer.handlerOf('poison').fail(new PoisonMessage('CONTENT_MISSING', 'secret text'));
    await consumer.handlerOf('bug').fail(new TypeError('secret text'));
    expect(tracer.spans.slice(0, 3).map(({ ended }) => ended)).toEqual([
      { 'anabranch.outcome': 'done' },
      { 'anabranch.outcome': 'settle', 'error.type': 'CONTENT_MISSING' },
      { 'anabranch.outcome': 'retry', 'error.type': 'TypeError' },
    ]);
    expect(JSON.stringify(tracer.spans)).not.toContain('secret');
  });

  it('is what the handler passes on; without a tracer that is the trace of the record', async () => {
    const tracer = new CollectingTracer();
    const traced = await SimulatedConsumer.start([partition], {}, { tracer });
    const untraced = await SimulatedConsumer.start([partition]);
    for (const consumer of [traced, untraced]) await receive(consumer, 'a');
    expect(traced.handlerOf('a').context.traceparent).toBe(tracer.spans[0]?.traceparent);
    expect(untraced.handlerOf('a').context.traceparent).toBe(traceparent);
  });
});

describe('the metrics of a consumer', () => {
  it('count tries by how they ended, and how many a record took', async () => {
    const consumer = await SimulatedConsumer.start([partition]);
    for (const key of ['a', 'b']) await receive(consumer, key);
    await consumer.handlerOf('a').fail(new RetryLater('busy', { afterMs: 10 }));
    await consumer.clock.advance(30_000);
    await consumer.handlerOf('a').finish();
    await consumer.handlerOf('b').fail(new PoisonMessage('CONTENT_MISSING', 'gone'));
    const page = await consumer.metrics.metrics();
    for (const [outcome, count] of Object.entries({ done: 1, retry: 1, settle: 1, pause: 0 })) {
      expect(page).toContain(`anabranch_records_handled_total{topic="topic",outcome="${outcome}"} ${count}\n`);
    }
    expect(page).toContain('anabranch_record_attempts_bucket{le="1",topic="topic"} 1\n');
    expect(page).toContain('anabranch_record_attempts_bucket{le="2",topic="topic"} 2\n');
    expect(page).toContain('anabranch_handler_seconds_count{topic="topic"} 3\n');
    expect(page).toContain('anabranch_queue_wait_seconds_count{topic="topic"} 3\n');
    expect(page).toContain('anabranch_event_age_seconds_count{topic="topic"} 3\n');
    expect(page).toContain('anabranch_dead_letters_total{topic="topic",code="CONTENT_MISSING"} 1\n');
  });

  it('show the breaker of each shared dependency: closed, open, half-open, closed', async () => {
    const consumer = await SimulatedConsumer.start([partition]);
    const stateOf = async (dependency: string) =>
      new RegExp(`anabranch_breaker_state\\{dependency="${dependency}"\\} (\\d)`).exec(
        await consumer.metrics.metrics(),
      )?.[1];
    await receive(consumer, 'a');
    expect(await stateOf('postgres')).toBe('0');
    await consumer.handlerOf('a').fail(new DependencyUnavailable('postgres', 'down'));
    expect(await stateOf('postgres')).toBe('2');
    expect(await stateOf('kafka')).toBe('0');
    await consumer.clock.advance(1_000);
    expect(await stateOf('postgres')).toBe('1');
    await consumer.handlerOf('a').finish();
    expect(await stateOf('postgres')).toBe('0');
  });

  it('have no key and no id of a document as a label', async () => {
    const consumer = await SimulatedConsumer.start([partition]);
    await receive(consumer, 'a-telling-key');
    await consumer.handlerOf('a-telling-key').fail(new PoisonMessage('CONTENT_MISSING', 'gone'));
    const page = await consumer.metrics.metrics();
    const labels = [...page.matchAll(/(\w+)="/g)].map(([, label]) => label);
    expect(new Set(labels)).toEqual(new Set(['le', 'topic', 'partition', 'outcome', 'code', 'dependency']));
    expect(page).not.toContain('telling');
  });
});
