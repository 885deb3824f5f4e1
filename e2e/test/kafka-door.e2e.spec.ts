import { describe, expect, it, jest } from '@jest/globals';
import { addressBook, analyses, eventually, get, resultOf, unique } from '../src/platform.js';
import { dump, publish, publishBytes } from '../src/topics.js';

jest.setTimeout(180_000);

// A foreign producer fills five fields; its Avro library puts the schema's defaults into the rest.
const defaults = {
  eventId: '',
  jobId: '',
  correlationId: '',
  causationId: '',
  textRef: null,
  textSha256: '',
  mediaType: 'text/plain',
  charset: null,
  language: null,
  metadata: {},
  requestedAnalyses: [],
  deadlineMs: 0,
  priority: 'NORMAL',
  sensitivity: 'INTERNAL',
  sourceEventId: null,
  stream: false,
};
const document = (documentId: string, revision: number, text: string) => ({
  key: documentId,
  event: { ...defaults, tenantId: addressBook().tenant, documentId, revision, occurredAt: Date.now(), text },
});

const jobOf = (documentId: string, revision: number): Promise<string> =>
  eventually(`a job for ${documentId} revision ${revision}`, async () => {
    const response = await get(`/v1/jobs?documentId=${documentId}`);
    const { jobs } = (await response.json()) as { jobs: { id: string; revision: number }[] };
    return jobs.find((job) => job.revision === revision)?.id;
  });

const direct = unique('e2e-direct');
const late = unique('e2e-late');
const poison = unique('e2e-poison');

describe('a document published straight to Kafka', () => {
  it('is a full citizen: a job, a result, and one document.enriched', async () => {
    await publish('document.ingested', [document(direct, 7, 'Published by somebody else. Quite nice.')]);
    const id = await jobOf(direct, 7);
    const result = await resultOf(id);
    expect(result).toMatchObject({ documentId: direct, revision: 7, state: 'complete' });

    const enriched = await eventually('its document.enriched', async () => {
      const found = (await dump('document.enriched')).filter((record) => record.event['jobId'] === id);
      return found.length > 0 ? found : undefined;
    });
    expect(new Set(enriched.map((record) => record.event['eventId'])).size).toBe(1);
    const { event, headers, key } = enriched[0]!;
    expect(key).toBe(direct);
    expect(event).toMatchObject({
      state: 'COMPLETE',
      resultVersion: 1,
      final: true,
      resultDigest: result.resultDigest,
    });
    expect((event['outcomes'] as { analysis: string }[]).map((outcome) => outcome.analysis).sort()).toEqual(analyses);
    expect(headers).toMatchObject({ ce_specversion: '1.0', 'content-type': 'application/avro' });
    expect(headers['traceparent']).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-0[01]$/);
  });

  it('an old revision after a new one settles as superseded, and the new one stands', async () => {
    await publish('document.ingested', [document(late, 5, 'The new one.'), document(late, 4, 'The old one.')]);
    expect((await resultOf(await jobOf(late, 5))).state).toBe('complete');
    const old = await jobOf(late, 4);
    const state = await eventually('the old one settles', async () => {
      const job = (await (await get(`/v1/jobs/${old}`)).json()) as { state: string };
      return job.state === 'superseded' ? job.state : undefined;
    });
    expect(state).toBe('superseded');
  });

  it('poison among good records becomes a dead letter, and the good ones flow', async () => {
    const broken = Buffer.from('this is no Avro');
    await publishBytes('document.ingested', poison, broken);
    await publish('document.ingested', [document(poison, 1, 'This one is sound.')]);
    expect((await resultOf(await jobOf(poison, 1))).state).toBe('complete');
    const letters = await eventually('its dead letters', async () => {
      const found = (await dump('dead-letters')).filter((record) => record.key === poison);
      return found.length > 0 ? found : undefined;
    });
    expect(letters[0]!.headers).toMatchObject({
      '__connect.errors.topic': 'document.ingested',
      'anabranch-failure-code': 'DECODE_FAILED',
    });
  });
});
