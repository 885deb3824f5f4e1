import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { DocumentIngestedInput } from '@anabranch/contracts';
import { eventually } from '@anabranch/test-support';
import type { ConsumerOptions } from '../src/index.js';
import { Platform } from './harness/platform.js';

const backlog = 300;

describe('in a partition with a backlog', () => {
  let platform: Platform;

  beforeEach(async () => {
    platform = await Platform.start();
  });
  afterEach(() => platform.close());

  /** Publishes a backlog and one document behind it, and consumes both; returns the documents in the order of their start. */
  const startsOf = async (
    input: Pick<DocumentIngestedInput, 'tenantId' | 'priority'>,
    last: Pick<DocumentIngestedInput, 'tenantId' | 'priority'>,
  ): Promise<string[]> => {
    await Promise.all(
      Array.from({ length: backlog }, (_, index) => platform.publish(`backlog-${index}`, 'text', input)),
    );
    await platform.publish('last', 'text', last);
    const started: string[] = [];
    await consume({ maxInFlight: 1 }, ({ documentId }) => {
      started.push(documentId);
      return Promise.resolve();
    });
    await eventually(() => started.length === backlog + 1);
    return started;
  };
  const consume = async (
    settings: NonNullable<ConsumerOptions<'document.ingested'>['settings']>,
    handle: (event: { documentId: string }) => Promise<void>,
    maxInFlight = 1_000,
  ) => {
    const handler = { maxInFlight, handler: ({ event }: { event: { documentId: string } }) => handle(event) };
    const consumer = platform.consumer({
      group: platform.uniqueGroup(),
      topics: { 'document.ingested': handler },
      settings,
    });
    await consumer.start();
  };

  it('one document of another tenant comes next, not last', async () => {
    const started = await startsOf({ tenantId: 'large' }, { tenantId: 'small' });
    expect(started.indexOf('last')).toBeLessThan(5);
  });

  it('a document of high priority comes before the tenant’s others', async () => {
    const started = await startsOf({ tenantId: 'same', priority: 'LOW' }, { tenantId: 'same', priority: 'HIGH' });
    expect(started.indexOf('last')).toBeLessThan(5);
  });

  it('a topic starts no more at a time than its limit, and gets through', async () => {
    let running = 0;
    let most = 0;
    let ended = 0;
    await Promise.all(Array.from({ length: 20 }, (_, index) => platform.publish(`limited-${index}`, 'text')));
    await consume(
      {},
      async () => {
        most = Math.max(most, ++running);
        await new Promise((resolve) => setImmediate(resolve));
        running--;
        ended++;
      },
      3,
    );
    await eventually(() => ended === 20);
    expect(most).toBe(3);
  });
});
