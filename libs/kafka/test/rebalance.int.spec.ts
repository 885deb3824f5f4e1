import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@anabranch/test-support';
import type { Consumer } from '../src/index.js';
import { MemberProcess } from './harness/member-process.js';
import { Platform } from './harness/platform.js';

const partitions = 4;

describe('a group that gets a second member', () => {
  let platform: Platform;
  let joined: MemberProcess | undefined;

  beforeAll(async () => {
    platform = await Platform.start({ partitions });
  });
  afterAll(async () => {
    await joined?.end('SIGKILL');
    await platform.close();
  });

  it('serves it at once while handlers run; the first keeps what it keeps and interrupts what it lost', async () => {
    const group = platform.uniqueGroup();
    const release = Promise.withResolvers<void>();
    const started = new Map<string, { partition: number; signal: AbortSignal }>();
    const finished: string[] = [];
    const first: Consumer = platform.consumer({
      group,
      topics: {
        'document.ingested': {
          handler: async ({ event: { documentId }, partition }, { signal }) => {
            started.set(documentId, { partition, signal });
            // Deaf to the signal, as a call of a model may be that cannot be stopped.
            if (documentId.startsWith('slow')) await release.promise;
            finished.push(documentId);
          },
        },
      },
    });
    await first.start();
    const slow = Array.from({ length: 12 }, (_, index) => `slow-${index}`);
    for (const documentId of slow) await platform.publish(documentId, 'text');
    await eventually(() => slow.every((documentId) => started.has(documentId)));
    expect(new Set([...started.values()].map(({ partition }) => partition)).size).toBe(partitions);

    const second = await MemberProcess.join(platform.config, group);
    joined = second;
    const assigned = () => platform.log.at('info').filter((line) => line === 'partitions were assigned');
    await eventually(() => assigned().length === 2);
    const lost = [...started].filter(([, { signal }]) => signal.aborted);
    const kept = [...started].filter(([, { signal }]) => !signal.aborted);
    expect(new Set(lost.map(([, { partition }]) => partition)).size).toBe(partitions / 2);
    await Promise.all(lost.map(([documentId]) => second.says('finished', documentId)));

    release.resolve();
    await eventually(() => slow.every((documentId) => finished.includes(documentId)));
    const fast = Array.from({ length: 12 }, (_, index) => `fast-${index}`);
    for (const documentId of fast) await platform.publish(documentId, 'text');
    const ends = await platform.admin.endOffsets('document.ingested');
    await eventually(async () => {
      const committed = await platform.committed(group);
      return ends.every(({ partition, high }) => committed.get(partition) === high);
    });
    await second.heard();

    const bySecond = second.documents('finished');
    expect(bySecond.filter((documentId) => kept.some(([id]) => id === documentId))).toEqual([]);
    expect([...finished, ...bySecond]).toEqual(expect.arrayContaining(fast));
    expect(finished.filter((documentId) => bySecond.includes(documentId)).sort()).toEqual(
      lost.map(([id]) => id).sort(),
    );
    // One rebalance for one newcomer, and none after it.
    expect(second.assignments).toHaveLength(1);
    expect(assigned()).toHaveLength(2);
    expect(platform.fatal).toEqual([]);
  });

  it('gives it the partitions of the member that leaves, and nothing is lost', async () => {
    const group = platform.uniqueGroup();
    const finished: string[] = [];
    const consumerOf = () =>
      platform.consumer({
        group,
        topics: {
          'document.ingested': {
            handler: ({ event: { documentId } }) => Promise.resolve(void finished.push(documentId)),
          },
        },
      });
    const [staying, leaving] = [consumerOf(), consumerOf()];
    await Promise.all([staying.start(), leaving.start()]);
    await leaving.stop(5_000);
    const documents = Array.from({ length: 20 }, (_, index) => `after-${index}`);
    for (const documentId of documents) await platform.publish(documentId, 'text');
    await eventually(() => documents.every((documentId) => finished.includes(documentId)));
    expect(leaving.health().ready).toBe(false);
  });
});
