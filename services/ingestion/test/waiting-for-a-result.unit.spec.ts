import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import type { JobView } from '@anabranch/database/jobs';
import { DependencyUnavailable } from '@anabranch/failures';
import { preferredWaitSeconds } from '../src/documents/prefer-wait.js';
import { Problem } from '../src/http/problem.js';
import type { JobReader } from '../src/jobs/job-reader.js';
import { createSettlementWatch } from '../src/jobs/settlement-watch.js';
import { Door, requestOf } from './fixtures/door.js';

describe('the header Prefer', () => {
  const headers: [string | string[] | undefined, number][] = [
    [undefined, 0],
    ['', 0],
    ['wait=20', 20],
    ['Wait = "7"', 7],
    ['respond-async, wait=5; foo', 5],
    ['return=minimal,wait=3,wait=9', 3],
    ['wait=600', 60],
    [['respond-async', 'wait=4'], 4],
    ['wait', 0],
    ['wait=', 0],
    ['wait=-1', 0],
    ['wait=1.5', 0],
    ['await=5', 0],
    ['wait=99999999999', 0],
  ];
  it.each(headers)('%j asks for %i seconds', (header, seconds) => {
    expect(preferredWaitSeconds(header)).toBe(seconds);
  });
});

/** A watch over jobs that the test settles. */
function world({ maxWaiting = 500 } = {}) {
  const settled = new Set<string>();
  const asked: string[][] = [];
  const stop = new AbortController();
  let isDown = false;
  const watch = createSettlementWatch({
    settledOf: (jobIds) => {
      asked.push([...jobIds]);
      return isDown
        ? Promise.reject(new Error('Postgres is down.'))
        : Promise.resolve(jobIds.filter((id) => settled.has(id)));
    },
    signal: stop.signal,
    maxWaiting,
    pause: () => setImmediate(),
  });
  const wait = (jobId: string, signal = new AbortController().signal) => watch.wait(jobId, { ms: 60_000, signal });
  return { settled, asked, stop, wait, watch, setDown: (down: boolean) => (isDown = down) };
}

describe('waiting for a job', () => {
  it('ends for each when its own job is settled, with one question for all', async () => {
    const { settled, asked, wait } = world();
    const waits = [wait('one'), wait('two'), wait('two')];
    while (!asked.some((ids) => ids.length === 2)) await setImmediate();
    settled.add('two');
    expect(await Promise.all(waits.slice(1))).toEqual([true, true]);
    settled.add('one');
    expect(await waits[0]).toBe(true);
    const count = asked.length;
    await setImmediate();
    await setImmediate();
    expect(asked).toHaveLength(count);
  });

  it('goes on when the database does not answer, and ends without a result when the client or the process goes', async () => {
    const { settled, asked, stop, wait, setDown } = world();
    setDown(true);
    const waited = wait('one');
    while (asked.length < 3) await setImmediate();
    settled.add('one');
    setDown(false);
    expect(await waited).toBe(true);
    const client = new AbortController();
    const left = wait('two', client.signal);
    client.abort();
    expect(await left).toBe(false);
    const last = wait('three');
    stop.abort();
    expect(await last).toBe(false);
    expect(await wait('four')).toBe(false);
  });

  it('ends after its time, and is refused at once when too many wait', async () => {
    const { watch, wait, stop } = world({ maxWaiting: 1 });
    expect(await watch.wait('one', { ms: 1, signal: new AbortController().signal })).toBe(false);
    const first = wait('one');
    expect(await wait('two')).toBe(false);
    stop.abort();
    expect(await first).toBe(false);
  });
});

describe('a post that prefers to wait for a settled job', () => {
  const job = { id: 'j', documentId: 'd', state: 'complete' } as JobView;
  const postWith = async (key: string, result: JobReader['result']) => {
    const logged: string[] = [];
    const log = { warn: () => void logged.push('warn'), error: () => void logged.push('error') };
    const jobs = { result } as unknown as JobReader;
    const results = { watch: { wait: () => Promise.resolve(true) }, jobs, log };
    const acceptance = () => Promise.resolve({ job, created: false, replayed: false });
    const door = await Door.open({ ports: { acceptance, results } });
    const headers = { 'content-type': 'text/plain', prefer: 'wait=5', authorization: `Bearer ${key}` };
    const answer = await door.send(requestOf('POST /v1/documents', headers, 'One.'));
    await door.close();
    return { answer, logged };
  };
  const result = () => Promise.resolve({ chunks: [Buffer.from('{}')], bytes: 2 });
  const failing = (error: Error) => () => Promise.reject(error);

  it('is answered with its result', async () => {
    const { answer } = await postWith('good', result);
    expect(answer).toMatchObject({ status: 200, body: '{}', headers: { 'preference-applied': 'wait=5' } });
  });

  it.each([
    ['when its key may not read results', 'writer', result, []],
    ['when the result cannot be read any more', 'good', failing(new Problem('CONTENT_UNREADABLE', 'gone')), []],
    ['when nobody can be asked for it', 'good', failing(new DependencyUnavailable('postgres', 'down')), ['warn']],
    ['when it has a fault, which is told', 'good', failing(new TypeError('undefined')), ['error']],
  ])('is answered with the job, as without the preference, %s', async (_, key, read, levels) => {
    const { answer, logged } = await postWith(key, read);
    expect(answer.status).toBe(200);
    expect(answer.headers['preference-applied']).toBeUndefined();
    expect(JSON.parse(answer.body)).toMatchObject({ id: 'j', state: 'complete' });
    expect(logged).toEqual(levels);
  });
});
