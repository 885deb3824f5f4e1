import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { allComplete, distinct, postAll } from '../src/backlog.js';
import { caughtUp, endsOf, workingMembers } from '../src/consumer-groups.js';
import { doorAt } from '../src/door.js';
import { createOwnServices, type OwnService } from '../src/own-services.js';
import { addressBook, analyses, eventually } from '../src/platform.js';
import { rows } from '../src/tables.js';
import { dump, publish } from '../src/topics.js';

jest.setTimeout(180_000);

/** By hand, more of them. */
const documents = 100 * Number(process.env['ANABRANCH_E2E_SCALE'] ?? 1);

const services = createOwnServices();
let collectors: readonly OwnService[] = [];

beforeAll(async () => {
  collectors = [await services.start('collection'), await services.start('collection', { instance: 1 })];
});

afterAll(() => services.end());

/** Documents whose outcomes all lie on Kafka, unread. */
async function analysedWhileNobodyCollects(): Promise<string[]> {
  for (const collector of collectors) {
    collector.hold();
    collector.kill();
  }
  const jobs = await postAll(doorAt(addressBook().url), distinct('contested', documents), { analyses });
  await eventually('all are on Kafka', async () => {
    const left = await rows('SELECT 1 FROM outbox WHERE row_id = ANY($1::uuid[])', [jobs]);
    return left.length === 0 ? true : undefined;
  });
  for (const name of analyses) await caughtUp(`anabranch.${name}`, 'document.ingested');
  return jobs;
}

/** Puts each outcome on a partition far from its own as well: it is read there by another member. */
async function doubleOutcomes(jobs: readonly string[]): Promise<void> {
  for (const name of analyses) {
    const topic = `analysis.${name}.finished`;
    const partitions = (await endsOf(topic)).length;
    const own = (await dump(topic)).filter(({ event }) => jobs.includes(String(event['jobId'])));
    expect(own).toHaveLength(jobs.length);
    const half = Math.floor(partitions / 2);
    await publish(
      topic,
      own.map(({ key, event, partition }) => ({ key, event, partition: (partition + half) % partitions })),
    );
  }
}

it('two collectors that read the same outcomes at the same time settle each job once, and complete', async () => {
  const jobs = await analysedWhileNobodyCollects();
  await doubleOutcomes(jobs);
  for (const collector of collectors) collector.resume();
  await Promise.all(collectors.map((collector) => collector.ready()));
  await allComplete(jobs);
  for (const name of analyses) await caughtUp('anabranch.collection', `analysis.${name}.finished`);
  expect(await workingMembers('anabranch.collection')).toBe(2);
  const counts = await rows(
    `SELECT result_version, sequence,
            (SELECT count(*)::integer FROM settlement s WHERE s.job_id = j.id) AS settlements,
            (SELECT count(*)::integer FROM outcome o WHERE o.job_id = j.id AND o.status = 'done') AS outcomes,
            count(*)::integer AS jobs
     FROM job j WHERE id = ANY($1::uuid[]) GROUP BY 1, 2, 3, 4`,
    [jobs],
  );
  // Accepted, opened, five outcomes, settled.
  expect(counts).toEqual([{ result_version: 1, sequence: 8, settlements: 1, outcomes: 5, jobs: documents }]);
  await eventually('all settlements are published', async () => {
    const events = (await dump('document.enriched')).filter(({ event }) => jobs.includes(String(event['jobId'])));
    const ids = new Set(events.map(({ event }) => event['eventId']));
    return ids.size === documents && events.length === documents ? true : undefined;
  });
});
