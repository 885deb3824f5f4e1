import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '@anabranch/test-support';
import { clientOf, Installation, RunningIngestion } from './fixtures/running-ingestion.js';

let installation: Installation;
let one: RunningIngestion;
let two: RunningIngestion;

beforeAll(async () => {
  installation = await Installation.create();
  one = await RunningIngestion.start(installation);
  two = await RunningIngestion.start(installation);
});

afterAll(async () => {
  await one.stop();
  await two.stop();
  await installation.remove();
});

async function tenant() {
  const { tenantId, key } = await installation.key();
  const jobs = async (): Promise<number> => {
    const [row] = await installation.db.query('SELECT count(*)::integer AS n FROM job WHERE tenant_id = $1', [
      tenantId,
    ]);
    return Number(row?.n);
  };
  return { tenantId, jobs, first: clientOf(one, key), second: clientOf(two, key) };
}

const keyed = (key: string) => ({ 'idempotency-key': key });

interface Answer {
  status: number;
  replayed: string | null;
  id: string;
}

async function answerOf(response: Response): Promise<Answer> {
  const { id } = (await response.json()) as { id: string };
  return { status: response.status, replayed: response.headers.get('idempotent-replayed'), id };
}

describe('a request with an Idempotency-Key', () => {
  it('is answered as the first time when it is sent again, to whichever process, and says so', async () => {
    const { first, second, jobs } = await tenant();
    const document = { text: 'One', documentId: 'd' };
    const made = await answerOf(await first.postJson(document, keyed('"a key"')));
    await first.postJson({ ...document, text: 'Two' });
    const again = await answerOf(await second.postJson({ documentId: 'd', text: 'One' }, keyed('"a key"')));
    expect(made).toMatchObject({ status: 202, replayed: null });
    expect(again).toEqual({ status: 202, replayed: 'true', id: made.id });
    expect(await jobs()).toBe(2);
  });

  it('is 422 when the key was used for another request, and makes nothing', async () => {
    const { first, jobs } = await tenant();
    await first.postJson({ text: 'One', documentId: 'd' }, keyed('k'));
    const other = await first.postJson({ text: 'One', documentId: 'd', priority: 'HIGH' }, keyed('k'));
    expect(other.status).toBe(422);
    expect(await other.json()).toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' });
    expect(await jobs()).toBe(1);
  });

  it('leaves the key free when it was refused', async () => {
    const { first } = await tenant();
    expect((await first.postJson({ text: 'One', analyses: ['horoscope'] }, keyed('free'))).status).toBe(422);
    expect((await first.postJson({ text: 'One' }, keyed('free'))).status).toBe(202);
  });

  it('leaves no second copy of a long text', async () => {
    const { tenantId, first, second } = await tenant();
    const document = { text: 'long '.repeat(10_000), documentId: 'long' };
    const made = await answerOf(await first.postJson(document, keyed('long')));
    expect(await answerOf(await second.postJson(document, keyed('long')))).toMatchObject({ status: 202, id: made.id });
    await eventually(async () => {
      const files = await readdir(join(installation.folder, 'objects', tenantId), { recursive: true });
      return files.filter((file) => file.endsWith('text')).length === 1;
    });
    expect(await (await first.get(`/v1/jobs/${made.id}/text`)).text()).toBe(document.text);
  });

  it.each(['', '""', 'a b', '"a', 'k, k', `"${'k'.repeat(256)}"`, 'schlüssel'])(
    'is 400 when the key is none: %s',
    async (key) => {
      const { first, jobs } = await tenant();
      const response = await first.postJson({ text: 'One' }, keyed(Buffer.from(key).toString('latin1')));
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({
        code: 'INVALID_REQUEST',
        errors: [{ field: 'header.Idempotency-Key' }],
      });
      expect(await jobs()).toBe(0);
    },
  );
});

describe('a thousand requests at once, over two processes', () => {
  const statusesOf = (answers: readonly { status: number }[]) => new Set(answers.map(({ status }) => status));

  it('make one job when they have one key, and those that came while the first was under way say so', async () => {
    const { first, second, jobs } = await tenant();
    const post = async (at: number) => {
      const response = await (at % 2 ? first : second).postJson({ text: 'Race' }, keyed('race'));
      const retryAfter = response.headers.get('retry-after');
      return { ...(await answerOf(response)), retryAfter };
    };
    const answers = await Promise.all(Array.from({ length: 1_000 }, (_, at) => post(at)));
    const accepted = answers.filter(({ status }) => status === 202);
    const busy = answers.filter(({ status }) => status === 409);
    expect(accepted.length + busy.length).toBe(1_000);
    expect(accepted.filter(({ replayed }) => replayed === null)).toHaveLength(1);
    expect(new Set(accepted.map(({ id }) => id)).size).toBe(1);
    expect(busy.every(({ retryAfter }) => Number(retryAfter) > 0)).toBe(true);
    expect(await jobs()).toBe(1);
    expect(await answerOf(await second.postJson({ text: 'Race' }, keyed('race')))).toMatchObject({ status: 202 });
  });

  it('are answered alike when they repeat one that was answered', async () => {
    const { first, second, jobs } = await tenant();
    const made = await answerOf(await first.postJson({ text: 'Again' }, keyed('again')));
    const post = async (at: number) =>
      answerOf(await (at % 2 ? first : second).postJson({ text: 'Again' }, keyed('again')));
    const answers = await Promise.all(Array.from({ length: 1_000 }, (_, at) => post(at)));
    expect(new Set(answers.map(({ status, id, replayed }) => `${status} ${id} ${replayed}`))).toEqual(
      new Set([`202 ${made.id} true`]),
    );
    expect(await jobs()).toBe(1);
  });

  it('make one job when they have one content', async () => {
    const { first, second, jobs } = await tenant();
    const post = async (at: number) => answerOf(await (at % 2 ? first : second).postJson({ text: 'Same' }));
    const answers = await Promise.all(Array.from({ length: 1_000 }, (_, at) => post(at)));
    expect(statusesOf(answers)).toEqual(new Set([202, 200]));
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(1);
    expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
    expect(await jobs()).toBe(1);
  });
});
