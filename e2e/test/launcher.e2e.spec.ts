import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { createOwnPlatform, type OwnPlatform } from '../src/own-platform.js';
import { analyses, eventually, type AddressBook, type Result } from '../src/platform.js';

jest.setTimeout(180_000);

const services = ['collection', 'ingestion', ...analyses].sort();
const infrastructure = ['kafka', 'postgres', 'registry'];

const isRunning = (pid: number): boolean => {
  // A zombie has ended; only its parent has not yet asked.
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
};

const allGone = (book: AddressBook): Promise<true> =>
  eventually('every process of the platform is gone', async () => {
    const left = book.processes.filter(({ pid }) => isRunning(pid));
    if (left.length > 0) throw new Error(left.map(({ name }) => name).join(', '));
    return true as const;
  });

const ask = (book: AddressBook, path: string, body?: unknown): Promise<Response> =>
  fetch(book.url + path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${book.apiKey}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

const completed = async (book: AddressBook, text: string): Promise<Result> => {
  const job = (await (await ask(book, '/v1/documents', { text })).json()) as { id: string };
  return eventually(`the result of ${job.id}`, async () => {
    const response = await ask(book, `/v1/jobs/${job.id}/result`);
    return response.status === 200 ? ((await response.json()) as Result) : undefined;
  });
};

describe('npm start', () => {
  let platform: OwnPlatform;
  let jobId: string;

  beforeAll(async () => {
    platform = await createOwnPlatform();
  });

  afterAll(() => platform.remove());

  it('reports a port that is taken with the setting that moves it, and starts nothing', async () => {
    const squatter = createServer();
    await new Promise<void>((listening) =>
      squatter.listen(Number(platform.env['ANABRANCH_REGISTRY_PORT']), '127.0.0.1', listening),
    );
    const { code, output } = await platform.cli(['start', '--no-build']);
    squatter.close();
    expect(code).not.toBe(0);
    expect(output).toContain('ANABRANCH_REGISTRY_PORT');
    expect(platform.isReady()).toBe(false);
  });

  it('brings up every part as its own process, in under 2 GB, and Ctrl-C leaves none', async () => {
    const { launcher, book, ended } = await platform.start();
    expect(book.processes.map(({ name }) => name).sort()).toEqual([...services, ...infrastructure].sort());
    expect(new Set(book.processes.map(({ pid }) => pid)).size).toBe(book.processes.length);
    const result = await completed(book, 'This one outlives a restart.');
    expect(result).toMatchObject({ state: 'complete', receipt: { complete: true } });
    jobId = result.jobId;

    const kilobytes = book.processes.map(({ pid }) => {
      const [, pss] = /^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')) ?? [];
      return Number(pss);
    });
    expect(kilobytes.reduce((sum, each) => sum + each, 0)).toBeLessThan(2_000_000);

    const second = await platform.cli(['start', '--no-build']);
    expect(second.code).not.toBe(0);
    expect(second.output).toContain(String(launcher.pid));

    launcher.kill('SIGINT');
    expect((await ended).code).toBe(0);
    await allGone(book);
    expect(platform.isReady()).toBe(false);
  });

  it('finds its data again, adds an instance, and leaves no orphan when it is killed with kill -9', async () => {
    const { launcher, book } = await platform.start();
    expect(((await (await ask(book, `/v1/jobs/${jobId}/result`)).json()) as Result).state).toBe('complete');

    expect((await platform.cli(['start', '--only', 'summary'])).code).toBe(0);
    const summaries = platform.book().processes.filter(({ name }) => name.startsWith('summary'));
    expect(summaries).toHaveLength(2);
    expect((await completed(book, 'Two instances share the partitions.')).state).toBe('complete');

    const everything = platform.book();
    launcher.kill('SIGKILL');
    await allGone(everything);
  });

  it('starts again after that, in one process with --compact, with the same data', async () => {
    const { launcher, book, ended } = await platform.start('--compact');
    expect(book.processes).toHaveLength(infrastructure.length + 1);
    expect(((await (await ask(book, `/v1/jobs/${jobId}/result`)).json()) as Result).state).toBe('complete');
    expect((await completed(book, 'All services share one process.')).state).toBe('complete');
    launcher.kill('SIGTERM');
    expect((await ended).code).toBe(0);
    await allGone(book);
  });

  it('reset removes the data, and says what it removed', async () => {
    const { code, output } = await platform.cli(['reset']);
    expect(code).toBe(0);
    expect(output).toContain('kafka');
    expect(existsSync(`${platform.env['ANABRANCH_STATE_DIR']}/kafka`)).toBe(false);
  });
});
