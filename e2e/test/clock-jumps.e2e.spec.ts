import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { allComplete, distinct, postAll } from '../src/backlog.js';
import { doorAt, type Door } from '../src/door.js';
import { startModelStub, type ModelStub } from '../src/model-stub.js';
import { createOwnServices, type OwnService } from '../src/own-services.js';
import { eventually } from '../src/platform.js';
import { rows } from '../src/tables.js';
import { createWrongClocks, type WrongClocks } from '../src/wrong-clocks.js';

jest.setTimeout(180_000);

/** By how many hours the clocks are wrong, from one round to the next: ahead and back, together and apart. */
const rounds = [
  { services: 1, database: 0 },
  { services: 1, database: -1 },
  { services: 0, database: 1 },
  { services: -1, database: -1 },
  { services: -1, database: 1 },
  { services: 0, database: 0 },
];
const textsOfRound = 16;
// Beats come three times as often; a machine that is busy for a second loses no lease.
const leaseMs = 3_000;
/** Of jobs: the clocks take more than an hour of it away. */
const deadlineMs = 6 * 3_600_000;

const services = createOwnServices();
let running: readonly OwnService[] = [];
let summaries: readonly OwnService[] = [];
let stub: ModelStub;
let clocks: WrongClocks;
let door: Door;

beforeAll(async () => {
  [stub, clocks] = await Promise.all([startModelStub(['summary']), createWrongClocks()]);
  const env = { ...stub.env, ...clocks.options.env, ANABRANCH_LEDGER_LEASE_MS: String(leaseMs) };
  const start = (name: string, instance = 0): Promise<OwnService> =>
    services.start(name, { ...clocks.options, env, instance });
  const [ingestion, collection, first] = await Promise.all([start('ingestion'), start('collection'), start('summary')]);
  // Whoever waits for a call that another process makes would take it over, if wall clocks decided.
  summaries = [first, await start('summary', 1)];
  running = [ingestion, collection, ...summaries];
  door = doorAt(ingestion.url);
});

afterAll(async () => {
  await services.end();
  await clocks.remove();
  await stub.close();
});

/** Posts each text twice, and resolves when each is asked about. */
async function begin(name: string): Promise<string[]> {
  const before = stub.calls().length;
  const texts = distinct(name, textsOfRound);
  const jobs = await postAll(door, [...texts, ...texts], { deadlineMs });
  await eventually('the model is asked about all texts', () =>
    Promise.resolve(stub.callsByKey(before).size === textsOfRound ? true : undefined),
  );
  return jobs;
}

const jump = async ({ services: hours, database }: (typeof rounds)[number]): Promise<void> => {
  await Promise.all([clocks.setServices(hours, running), clocks.setDatabase(database)]);
};

const settledOnce = async (jobs: readonly string[]): Promise<void> => {
  await allComplete(jobs);
  const versions = await rows('SELECT DISTINCT result_version FROM job WHERE id = ANY($1::uuid[])', [jobs]);
  expect(versions).toEqual([{ result_version: 1 }]);
};

const numberOfCalls = (from: number): number[] => [...stub.callsByKey(from).values()].map((calls) => calls.length);

describe('clocks of services and of Postgres that jump by hours, ahead and back', () => {
  it('make nobody ask again what is being asked, and every job settles once', async () => {
    // Longer than a lease: it is renewed after the jump.
    stub.always({ kind: 'answer', delayMs: 2 * leaseMs });
    const jobs: string[] = [];
    for (const [at, wrong] of rounds.entries()) {
      jobs.push(...(await begin(`round ${at}`)));
      await jump(wrong);
    }
    await settledOnce(jobs);
    expect(numberOfCalls(0)).toEqual(Array(rounds.length * textsOfRound).fill(1));
    // They were wrong indeed, and seen: deadlines are as far apart as the clocks by which the jobs were accepted.
    const [seen] = await rows<{ hours: number }>(
      `SELECT (extract(epoch FROM max(deadline_at) - min(deadline_at)) / 3600)::float8 AS hours FROM job
       WHERE id = ANY($1::uuid[])`,
      [jobs],
    );
    expect(seen?.hours).toBeGreaterThan(1.5);
  });

  it.each([
    { services: 1, database: -1 },
    { services: -1, database: 1 },
  ])('let calls that were cut off be made once more, with their keys: %j', async (wrong) => {
    const before = stub.calls().length;
    stub.always({ kind: 'answer', delayMs: 600_000 });
    const jobs = await begin(`cut off ${JSON.stringify(wrong)}`);
    stub.always({ kind: 'answer', delayMs: 0 });
    await jump(wrong);
    const [back, gone] = summaries;
    // One comes back and goes on with what it had; the other one's leases are taken over.
    gone?.hold();
    for (const service of [back, gone]) service?.kill();
    await settledOnce(jobs);
    gone?.resume();
    await gone?.ready();
    expect(numberOfCalls(before)).toEqual(Array(textsOfRound).fill(2));
    for (const calls of stub.callsByKey(before).values())
      expect(new Set(calls.map(({ requestSha256 }) => requestSha256)).size).toBe(1);
  });
});
