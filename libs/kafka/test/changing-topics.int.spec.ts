import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@anabranch/test-support';
import { subscribeEach, type Consumer, type IncomingRecord, type Subscriptions } from '../src/index.js';
import { enrichedOf } from './harness/enriched.js';
import { Platform } from './harness/platform.js';

const partitions = 4;
type Topic = 'document.ingested' | 'document.enriched';

describe('a consumer whose topics change while records flow', () => {
  let platform: Platform;
  let group: string;
  let seen: Seen;

  beforeEach(async () => {
    platform = await Platform.start({ partitions });
    group = platform.uniqueGroup();
    seen = new Seen();
  });
  afterEach(() => platform.close());

  const topicsOf = (...topics: Topic[]): Subscriptions<Topic> =>
    subscribeEach<Topic>(topics, { handler: seen.handler });
  const join = async (instanceId: string, topics: Subscriptions<Topic>): Promise<Consumer> => {
    const settings = { instanceId, sessionTimeoutMs: 6_000, heartbeatIntervalMs: 500 };
    const consumer = platform.consumer<Topic>({ group, topics, settings });
    await consumer.start();
    return consumer;
  };
  const ingest = (documentId: string, ...texts: string[]) =>
    Promise.all(texts.map((text) => platform.publish(documentId, text)));
  const enrich = (documentId: string) => platform.producer.publish('document.enriched', enrichedOf(documentId));

  it('gets the new topic from its beginning, and does not repeat or interrupt what runs', async () => {
    await enrich('enriched-before');
    const consumer = await join('only', topicsOf('document.ingested'));
    const held = Array.from({ length: 8 }, (_, index) => `held-${index}`);
    for (const documentId of held) await ingest(documentId, '1', '2', '3');
    await eventually(() => held.every((documentId) => seen.running.has(documentId)));

    await consumer.setTopics(topicsOf('document.ingested', 'document.enriched'));
    await ingest('quick', '1', '2');
    await enrich('enriched-after');
    await eventually(() => seen.finished.includes('enriched-before') && seen.finished.includes('enriched-after'));
    await eventually(() => seen.finished.filter((documentId) => documentId === 'quick').length === 2);
    expect(seen.interrupted).toEqual([]);

    seen.release();
    await eventually(() => held.every((documentId) => seen.textsOf(documentId).length === 3));
    for (const documentId of held) expect(seen.textsOf(documentId)).toEqual(['1', '2', '3']);
    expect(seen.started).toHaveLength(held.length * 3 + 2 + 2);
    await eventually(async () => {
      const committed = await platform.committed(group);
      return (await platform.admin.endOffsets('document.ingested')).every(
        ({ partition, high }) => high === 0 || committed.get(partition) === high,
      );
    });
    expect(platform.fatal).toEqual([]);
  });

  it('gets no more of a topic that it gave up, and goes on where it stopped when it has it again', async () => {
    const consumer = await join('only', topicsOf('document.ingested', 'document.enriched'));
    await enrich('first');
    await eventually(() => seen.finished.includes('first'));
    await consumer.setTopics(topicsOf('document.ingested'));
    const lanes = () =>
      JSON.stringify(platform.log.lines.findLast(({ message }) => message === 'partitions were assigned'));
    await eventually(() => !lanes().includes('document.enriched'));
    await enrich('second');
    await ingest('meanwhile', '1');
    await eventually(() => seen.finished.includes('meanwhile'));
    expect(seen.finished).not.toContain('second');
    await consumer.setTopics(topicsOf('document.ingested', 'document.enriched'));
    await eventually(() => seen.finished.includes('second'));
    expect(seen.started).toEqual(['first', 'meanwhile', 'second']);
  });

  it('shares the new topic with the others when all of them have it', async () => {
    const members = [await join('a', topicsOf('document.ingested')), await join('b', topicsOf('document.ingested'))];
    for (const member of members) await member.setTopics(topicsOf('document.ingested', 'document.enriched'));
    const documents = Array.from({ length: 20 }, (_, index) => `document-${index}`);
    for (const documentId of documents) await enrich(documentId);
    await eventually(() => documents.every((documentId) => seen.finished.includes(documentId)));
    expect(platform.fatal).toEqual([]);
  });

  it('gets a topic that a new version of it consumes, when it comes back under its id', async () => {
    const other = await join('other', topicsOf('document.ingested'));
    const older = await join('upgraded', topicsOf('document.ingested'));
    await older.stop(5_000);
    await join('upgraded', topicsOf('document.ingested', 'document.enriched'));
    await other.stop(5_000);
    await join('other', topicsOf('document.ingested', 'document.enriched'));
    const documents = Array.from({ length: 20 }, (_, index) => `document-${index}`);
    for (const documentId of documents) await enrich(documentId);
    await eventually(() => documents.every((documentId) => seen.finished.includes(documentId)));
  });

  it('stays as it is when the new topic does not exist, and the error names it and the way out', async () => {
    const consumer = await join('only', topicsOf('document.ingested'));
    const change = consumer.setTopics({ 'analysis.summary.finished': { handler: seen.handler } });
    await expect(change).rejects.toThrow(/the topic \S*analysis\.summary\.finished does not exist[\s\S]*npm start/);
    await ingest('still', '1');
    await eventually(() => seen.finished.includes('still'));
  });
});

/** What handlers saw. Documents whose id begins with "held" run until they are released. */
class Seen {
  readonly started: string[] = [];
  readonly running = new Set<string>();
  readonly finished: string[] = [];
  readonly interrupted: string[] = [];
  private readonly texts = new Map<string, string[]>();
  private readonly released = Promise.withResolvers<void>();

  readonly handler = async (record: IncomingRecord, { signal }: { readonly signal: AbortSignal }): Promise<void> => {
    const { documentId, text } = record.event as { documentId: string; text?: string };
    this.started.push(documentId);
    this.running.add(documentId);
    signal.addEventListener('abort', () => this.running.has(documentId) && this.interrupted.push(documentId));
    if (documentId.startsWith('held')) await this.released.promise;
    this.running.delete(documentId);
    this.texts.set(documentId, [...this.textsOf(documentId), text ?? '']);
    this.finished.push(documentId);
  };

  release(): void {
    this.released.resolve();
  }

  textsOf(documentId: string): string[] {
    return this.texts.get(documentId) ?? [];
  }
}
