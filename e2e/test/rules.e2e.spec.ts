import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { eventually, unique, type Job } from '../src/platform.js';
import { createTenant, type Tenant } from '../src/tenant.js';
import { dump } from '../src/topics.js';

jest.setTimeout(180_000);

interface Stored {
  id: string;
  version: string;
  effectiveFrom: string;
}

interface Classification {
  taxonomy: { id: string; version: string };
  label: string | null;
  labels: unknown[];
}

const text = 'The quarterly invoice of Zanzibar Widgets is attached. Please write to ada@example.com about model X-7.';

const put = async (tenant: Tenant, path: string, definition: object): Promise<Stored> => {
  const { status, body } = await tenant.ask('PUT', path, definition);
  if (status !== 200 && status !== 201) throw new Error(`PUT ${path} answered ${status}: ${JSON.stringify(body)}`);
  return body as unknown as Stored;
};

const taxonomy = (label: string) => ({ threshold: 0, labels: [{ name: label, keywords: ['invoice'] }] });

/** Resolves when documents posted from now on are judged by the version. */
const inForce = ({ effectiveFrom, id }: Stored): Promise<true> =>
  eventually(`${id} is in force at ${effectiveFrom}`, async () =>
    Date.now() > Date.parse(effectiveFrom) ? true : undefined,
  );

let number = 0;
const classify = (tenant: Tenant, metadata: Record<string, string> = {}): Promise<Job> => {
  number += 1;
  return tenant.submit({ documentId: unique(`rules-${number}`), text, analyses: ['classification'], metadata });
};

const classificationOf = async (tenant: Tenant, { id }: Job): Promise<Classification> => {
  const { results } = await tenant.resultOf(id);
  return results['classification'] as Classification;
};

describe('a taxonomy that is changed while documents flow', () => {
  it('judges each document by the version in force when its event was written to Kafka', async () => {
    const tenant = await createTenant('rules-flow');
    const jobs: Job[] = [];
    /** Posts documents until one of them is judged by the version. */
    const flowUntil = (version: string): Promise<true> =>
      eventually(`a document is judged by version ${version}`, async () => {
        const job = await classify(tenant);
        jobs.push(job);
        return (await classificationOf(tenant, job)).taxonomy.version === version ? true : undefined;
      });

    const first = await put(tenant, '/v1/taxonomies/default', taxonomy('one'));
    await flowUntil('1');
    const second = await put(tenant, '/v1/taxonomies/default', taxonomy('two'));
    await flowUntil('2');

    const events = await dump('document.ingested');
    const stampOf = new Map(events.map(({ event, timestamp }) => [event['jobId'], timestamp]));
    const [firstFrom, secondFrom] = [first, second].map(({ effectiveFrom }) => Date.parse(effectiveFrom));
    const seen: string[] = [];
    for (const job of jobs) {
      const stamp = stampOf.get(job.id)!;
      const { taxonomy: judgedBy, label } = await classificationOf(tenant, job);
      const expected = stamp >= secondFrom! ? '2' : stamp >= firstFrom! ? '1' : 'built-in';
      seen.push(expected);
      expect(judgedBy.version.startsWith(expected)).toBe(true);
      if (expected !== 'built-in') expect(label).toBe(expected === '1' ? 'one' : 'two');
    }
    expect(new Set(seen)).toEqual(new Set(['built-in', '1', '2']));
  });
});

describe('rules of a tenant', () => {
  let tenant: Tenant;
  let stranger: Tenant;

  beforeAll(async () => {
    [tenant, stranger] = [await createTenant('rules-owner'), await createTenant('rules-stranger')];
    const many = Array.from({ length: 500 }, (_, index) => ({ name: `label ${index}`, keywords: [`word${index}`] }));
    many[250]!.keywords.push('invoice');
    await put(tenant, '/v1/taxonomies/many', { threshold: 0, labels: many });
    await put(tenant, '/v1/taxonomies/none', { labels: [] });
    await put(tenant, '/v1/taxonomies/patterns', {
      threshold: 0,
      labels: [{ name: 'widgets', patterns: ['(?i)zanzibar\\s+widgets'] }],
    });
    const mail = { id: 'our-mail', when: { types: ['EMAIL'] }, severity: 'LOW' };
    await put(tenant, '/v1/rulesets/default', { rules: [mail] });
    await put(tenant, '/v1/gazetteers/products', { entries: [{ name: 'Model X-7', type: 'PRODUCT' }] });
    await inForce(
      await put(tenant, '/v1/gazetteers/firms', { entries: [{ name: 'Zanzibar Widgets', type: 'CUSTOMER' }] }),
    );
  });

  it('decide what is a breach, and which names are found', async () => {
    const job = await tenant.submit({ text, documentId: unique('rules-all') });
    const { state, results } = await tenant.resultOf(job.id);
    expect(state).toBe('complete');
    expect(results['compliance']).toMatchObject({ flags: [{ ruleId: 'our-mail', ruleVersion: '1', severity: 'LOW' }] });
    const { entities } = results['entity-extraction'] as { entities: { name: string; customType?: string | null }[] };
    const custom = entities.filter(({ customType }) => typeof customType === 'string');
    expect(Object.fromEntries(custom.map(({ name, customType }) => [name, customType]))).toEqual({
      'Model X-7': 'PRODUCT',
      'Zanzibar Widgets': 'CUSTOMER',
    });
  });

  it('are used by the document that names them: 500 labels, a pattern', async () => {
    const many = await classificationOf(tenant, await classify(tenant, { 'anabranch.taxonomy': 'many' }));
    expect(many).toMatchObject({ taxonomy: { id: 'many', version: '1' }, label: 'label 250' });
    expect(many.labels).toHaveLength(500);
    const patterns = await classificationOf(tenant, await classify(tenant, { 'anabranch.taxonomy': 'patterns' }));
    expect(patterns).toMatchObject({ taxonomy: { id: 'patterns' }, label: 'widgets' });
  });

  it.each([
    ['an empty taxonomy', 'none', 'NO_LABELS'],
    ['one that there is not', 'nowhere', 'UNKNOWN_TAXONOMY'],
  ])('lead to a refusal with its reason when a document names %s', async (_name, id, code) => {
    const job = await classify(tenant, { 'anabranch.taxonomy': id });
    const { state, receipt } = await tenant.resultOf(job.id);
    expect(state).toBe('partial');
    expect(receipt.analyses['classification']).toMatchObject({ outcome: 'refused', code });
  });

  it('make another content of the same text, for they change what comes of it', async () => {
    const documentId = unique('rules-content');
    const post = (metadata: Record<string, string>) =>
      tenant.ask<Job>('POST', '/v1/documents', { text, documentId, analyses: ['classification'], metadata });
    const first = await post({ 'anabranch.taxonomy': 'many' });
    expect((await post({ 'anabranch.taxonomy': 'many', note: 'x' })).body.id).toBe(first.body.id);
    expect((await post({ 'anabranch.taxonomy': 'patterns' })).body.revision).toBe(2);
  });

  it('do not exist for another tenant', async () => {
    for (const path of ['/v1/taxonomies/many', '/v1/rulesets/default', '/v1/gazetteers/firms']) {
      expect(await stranger.ask('GET', path)).toMatchObject({ status: 404, body: { code: 'RULES_NOT_FOUND' } });
      expect((await tenant.ask('GET', path)).status).toBe(200);
    }
    const job = await classify(stranger, { 'anabranch.taxonomy': 'many' });
    const { receipt } = await stranger.resultOf(job.id);
    expect(receipt.analyses['classification']).toMatchObject({ outcome: 'refused', code: 'UNKNOWN_TAXONOMY' });
  });

  it('are refused, with path and reason, when their pattern cannot be run', async () => {
    const labels = [{ name: 'a', patterns: ['(a)\\1'] }];
    const { status, body } = await tenant.ask('PUT', '/v1/taxonomies/default', { labels });
    expect(status).toBe(400);
    expect(body).toMatchObject({ code: 'INVALID_REQUEST', errors: [{ field: 'body.labels.0.patterns.0' }] });
  });
});
