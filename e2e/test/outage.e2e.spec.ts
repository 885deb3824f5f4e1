import { describe, expect, it, jest } from '@jest/globals';
import {
  addressBook,
  analyses,
  command,
  eventually,
  get,
  post,
  processNamed,
  resultOf,
  submit,
  unique,
} from '../src/platform.js';
import { dump } from '../src/topics.js';

jest.setTimeout(180_000);

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

const killAndSeeItBack = async (name: string): Promise<void> => {
  const { pid } = processNamed(name);
  const others = addressBook().processes.filter((each) => each.name !== name);
  process.kill(pid, 'SIGKILL');
  await eventually(`${name} is back with another pid`, async () => (processNamed(name).pid === pid ? undefined : true));
  for (const other of others) expect([other.name, isAlive(other.pid)]).toEqual([other.name, true]);
};

const numbers = Array.from({ length: 100 }, (_, number) => number);

describe('an outage', () => {
  it('of Kafka loses no acceptance: 100 posts, kill -9 of ingestion, both back, all 100 complete once', async () => {
    await command('stop', 'kafka');
    const jobs = await Promise.all(
      numbers.map(async (number) => {
        const response = await post(
          JSON.stringify({ text: `Accepted while Kafka is down, number ${number}. ${unique('run')}` }),
          'application/json',
        );
        expect(response.status).toBe(202);
        return (await response.json()) as { id: string };
      }),
    );
    const accepted = new Set(jobs.map((job) => job.id));
    expect(accepted.size).toBe(100);

    const { pid } = processNamed('ingestion');
    process.kill(pid, 'SIGKILL');
    await eventually('ingestion is back, Kafka or not', async () =>
      processNamed('ingestion').pid === pid ? undefined : true,
    );
    await command('start', '--only', 'kafka');
    for (const id of accepted) expect((await resultOf(id, 120_000)).state).toBe('complete');

    const ingested = (await dump('document.ingested')).filter((record) => accepted.has(String(record.event['jobId'])));
    expect(new Set(ingested.map((record) => record.event['eventId'])).size).toBe(100);
    const enriched = (await dump('document.enriched')).filter((record) => accepted.has(String(record.event['jobId'])));
    expect(new Set(enriched.map((record) => `${record.event['jobId']} ${record.event['resultVersion']}`)).size).toBe(
      100,
    );
    expect(new Set(enriched.map((record) => record.event['eventId'])).size).toBe(100);
  });

  it('of one analysis loses and doubles nothing', async () => {
    const jobs = await Promise.all(
      numbers.map((number) =>
        submit({ text: `Killed in the middle of number ${number}. It was good. ${unique('run')}` }),
      ),
    );
    await killAndSeeItBack('summary');
    for (const job of jobs) expect(await resultOf(job.id)).toMatchObject({ state: 'complete', resultVersion: 1 });

    const ids = new Set(jobs.map((job) => job.id));
    const outcomes = (await dump('analysis.summary.finished')).filter((record) =>
      ids.has(String(record.event['jobId'])),
    );
    expect(new Set(outcomes.map((record) => record.event['jobId'])).size).toBe(100);
    expect(new Set(outcomes.map((record) => record.event['eventId'])).size).toBe(100);
  });

  it('of a part taken down on purpose keeps it down, says what is waiting, and ends when it comes back', async () => {
    await command('stop', 'sentiment');
    const job = await submit({ text: unique('Nobody judges this yet.') });
    const waiting = await eventually('the other four are done', async () => {
      const seen = (await (await get(`/v1/jobs/${job.id}`)).json()) as {
        state: string;
        analyses: Record<string, string>;
      };
      return Object.values(seen.analyses).filter((each) => each === 'done').length === 4 ? seen : undefined;
    });
    expect(waiting).toMatchObject({ state: 'analysing', analyses: { sentiment: 'waiting' } });
    expect(addressBook().processes.map((each) => each.name)).not.toContain('sentiment');
    await command('start', '--only', 'sentiment');
    expect((await resultOf(job.id)).state).toBe('complete');
  });

  it.each(['collection', 'ingestion', 'compliance'])(
    'kill -9 of %s in the middle of a burst loses nothing',
    async (name) => {
      const jobs = await Promise.all(
        numbers.slice(0, 40).map((number) => submit({ text: `${name} dies with ${number}. ${unique('run')}` })),
      );
      await killAndSeeItBack(name);
      for (const job of jobs) {
        const result = await eventually('the door answers', () => resultOf(job.id));
        expect(result).toMatchObject({ state: 'complete', resultVersion: 1 });
        expect(Object.keys(result.receipt.analyses).sort()).toEqual(analyses);
      }
    },
  );

  it('of Postgres is a 503 with a time to come back, never a false 202', async () => {
    await command('stop', 'postgres');
    const refused = await post(JSON.stringify({ text: unique('While Postgres is down.') }), 'application/json');
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
    await command('start', '--only', 'postgres');
    const job = await eventually('acceptance works again', () => submit({ text: unique('After Postgres came back.') }));
    expect((await resultOf(job.id)).state).toBe('complete');
  });
});
