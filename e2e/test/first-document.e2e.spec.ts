import { describe, expect, it, jest } from '@jest/globals';
import { addressBook, analyses, get, post, processNamed, resultOf, submit, textOf, unique } from '../src/platform.js';

jest.setTimeout(180_000);

const text =
  'Acme Corp. signed the contract with Globex on Monday. The invoice of 4,200 euros is due in March. ' +
  'We are very happy with the excellent support. Write to jane.doe@example.com for questions.';

interface Page {
  jobs: unknown[];
  nextCursor: string | null;
}

const documentId = unique('e2e-first');
const revised = unique('e2e-revisions');

describe('a document posted', () => {
  it('is answered with a job at once, and a moment later with one assembled result and its receipt', async () => {
    const response = await post(JSON.stringify({ text, documentId }), 'application/json');
    expect(response.status).toBe(202);
    const job = (await response.json()) as { id: string; documentId: string; revision: number };
    expect(response.headers.get('location')).toBe(`/v1/jobs/${job.id}`);
    expect(job).toMatchObject({ documentId, revision: 1 });

    const result = await resultOf(job.id);
    expect(result).toMatchObject({ jobId: job.id, state: 'complete', resultVersion: 1, receipt: { complete: true } });
    expect(result.resultDigest).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(Object.keys(result.receipt.analyses).sort()).toEqual(analyses);
    expect(Object.keys(result.results).sort()).toEqual(analyses);
    for (const name of analyses) {
      const outcome = result.receipt.analyses[name]!;
      expect(outcome).toMatchObject({ outcome: 'done', run: 1, engine: { kind: 'EMBEDDED' } });
      expect(outcome.coverage).toMatchObject({ charactersTotal: [...text].length, truncated: false });
    }
    expect(await textOf(job.id)).toBe(text);
  });

  it('is the same job when the same content comes again, and a new revision when other content comes', async () => {
    const first = await submit({ text: 'The first text.', documentId: revised });
    const again = await submit({ text: 'The first text.', documentId: revised });
    const other = await submit({ text: 'The second text.', documentId: revised });
    expect(again.id).toBe(first.id);
    expect(other).toMatchObject({ documentId: revised, revision: first.revision + 1 });
    expect((await resultOf(other.id)).state).toBe('complete');
  });

  it('gives only the analyses that were asked for', async () => {
    const job = await submit({ text: 'A pleasant day.', analyses: ['sentiment'] });
    const result = await resultOf(job.id);
    expect(Object.keys(result.receipt.analyses)).toEqual(['sentiment']);
    expect(result.state).toBe('complete');
  });
});

describe('the door', () => {
  it('asks for a key, and says so', async () => {
    const response = await fetch(`${addressBook().url}/v1/jobs`);
    expect(response.status).toBe(401);
    expect(response.headers.get('content-type')).toContain('application/problem+json');
    expect(response.headers.get('www-authenticate')).toContain('Bearer');
  });

  it('describes itself', async () => {
    const document = (await (await get('/openapi.json')).json()) as { openapi: string; paths: Record<string, unknown> };
    expect(document.openapi).toMatch(/^3\./);
    expect(Object.keys(document.paths)).toEqual(expect.arrayContaining(['/v1/documents', '/v1/jobs/{id}/result']));
    expect((await get('/docs')).status).toBe(200);
  });

  it('lists jobs by state, page by page', async () => {
    const first = (await (await get('/v1/jobs?state=complete&limit=1')).json()) as Page;
    expect(first.jobs).toHaveLength(1);
    expect(first.nextCursor).toEqual(expect.any(String));
    const second = (await (await get(`/v1/jobs?state=complete&limit=1&cursor=${first.nextCursor}`)).json()) as Page;
    expect(second.jobs).toHaveLength(1);
    expect(second.jobs[0]).not.toEqual(first.jobs[0]);
  });
});

describe('every service', () => {
  it.each(['ingestion', 'collection', ...analyses])('%s is live and ready, and shows its metrics', async (name) => {
    const { metricsUrl } = processNamed(name);
    const base = metricsUrl!.replace('/metrics', '');
    expect((await fetch(`${base}/health/live`)).status).toBe(200);
    expect((await fetch(`${base}/health/ready`)).status).toBe(200);
    expect(await (await fetch(metricsUrl!)).text()).toContain(`service="${name}"`);
  });
});
