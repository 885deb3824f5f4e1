import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readIngestedEvents } from '@anabranch/database/jobs';
import { clientOf, Installation, RunningIngestion, type CallOptions } from './fixtures/running-ingestion.js';

const maxDocumentBytes = 10_485_760;

let installation: Installation;
let ingestion: RunningIngestion;
let client: ReturnType<typeof clientOf>;

beforeAll(async () => {
  installation = await Installation.create();
  ingestion = await RunningIngestion.start(installation, { maxDocumentBytes });
  client = clientOf(ingestion, (await installation.key()).key);
});

afterAll(async () => {
  await ingestion.stop();
  await installation.remove();
});

/** The event that the relay would publish for the job. */
async function eventOf(response: Response) {
  expect(response.status).toBe(202);
  const { id } = (await response.json()) as { id: string };
  const event = (await readIngestedEvents(installation.db, [id])).get(id)?.event;
  if (!event) throw new Error('The job has no event.');
  return event;
}

const textOf = async (jobId: string) => (await client.get(`/v1/jobs/${jobId}/text`)).text();

describe('the text of a document', () => {
  it.each([
    ['empty', '', ''],
    ['one of NUL alone', '\0', ''],
    ['one with NUL', 'a\0b', 'ab'],
    ['one with controls', 'a\u0001\u007fb\u000bc\td\r\ne', 'ab\nc\td\r\ne'],
    ['one of emoji', '👩‍👩‍👧‍👦🇪🇺', '👩‍👩‍👧‍👦🇪🇺'],
    ['one with a lone surrogate', 'a\ud800b', 'a\ufffdb'],
    ['one with right-to-left marks', 'שלום\u200f', 'שלום\u200f'],
    ['one that looks like SQL', `'); DROP TABLE job; --`, `'); DROP TABLE job; --`],
  ])('is cleaned and given back as it is analysed: %s', async (what, text, cleaned) => {
    const event = await eventOf(await client.postJson({ text, documentId: what }));
    expect(event.text).toBe(cleaned);
    expect(await textOf(event.jobId)).toBe(cleaned);
  });

  it('is the page’s text when HTML was sent, with neither scripts nor styles', async () => {
    const page = '<style>p{}</style><p>Zoë &amp; co</p><script>steal("secret")</script>';
    const event = await eventOf(await client.postRaw(Buffer.from(page, 'latin1'), 'text/html'));
    expect(event).toMatchObject({ text: 'Zoë & co', mediaType: 'text/html', charset: 'windows-1252' });
    const json = await eventOf(await client.postJson({ text: page, mediaType: 'text/html', documentId: 'page' }));
    expect(json).toMatchObject({ text: 'Zoë & co', mediaType: 'text/html', charset: 'utf-8' });
  });

  it('is given back as UTF-8 text that no browser takes for anything else', async () => {
    const event = await eventOf(await client.postJson({ text: '<script>alert(1)</script>' }));
    const response = await client.get(`/v1/jobs/${event.jobId}/text`);
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(await response.text()).toBe('<script>alert(1)</script>');
  });

  it('is empty when an empty raw body is sent', async () => {
    const event = await eventOf(await client.postRaw('', 'text/plain', '?documentId=empty-body'));
    expect(event.text).toBe('');
    expect(await textOf(event.jobId)).toBe('');
  });
});

describe('the inline limit of 16 KiB of UTF-8', () => {
  it.each([
    ['exactly the limit', 'a'.repeat(16_384), true],
    ['one byte more', 'a'.repeat(16_385), false],
    ['exactly the limit in two-byte characters', 'é'.repeat(8_192), true],
    ['one character more in two-byte characters', 'é'.repeat(8_193), false],
  ])('decides between inline and claim check: %s', async (what, text, isInline) => {
    const event = await eventOf(await client.postJson({ text, documentId: what }));
    expect(event.text).toBe(isInline ? text : null);
    expect(event.textRef === null).toBe(isInline);
    if (event.textRef) {
      expect(event.textRef).toMatchObject({ sha256: event.textSha256, bytes: Buffer.byteLength(text) });
      expect(event.textRef.key.startsWith(`${event.tenantId}/`)).toBe(true);
    }
    expect(await textOf(event.jobId)).toBe(text);
  });

  it.each(['CONFIDENTIAL', 'RESTRICTED'])('is nothing for a text that is %s', async (sensitivity) => {
    const event = await eventOf(await client.postJson({ text: 'Hush', sensitivity, documentId: sensitivity }));
    expect(event.text).toBeNull();
    expect(event.textRef?.bytes).toBe(4);
    expect(await textOf(event.jobId)).toBe('Hush');
  });
});

describe('the size limit', () => {
  it('takes a megabyte of one letter', async () => {
    const text = 'a'.repeat(1_000_000);
    const event = await eventOf(await client.postJson({ text, documentId: 'letters' }));
    expect(event.textRef?.bytes).toBe(1_000_000);
  });

  it('takes exactly as many bytes as it says, in every form', async () => {
    const text = '\n'.repeat(maxDocumentBytes);
    expect((await client.postRaw(text, 'text/plain')).status).toBe(202);
    expect((await client.postJson({ text, documentId: 'json' })).status).toBe(202);
  });

  it.each([
    ['raw', () => client.postRaw('a'.repeat(maxDocumentBytes + 1), 'text/plain')],
    ['JSON', () => client.postJson({ text: 'a'.repeat(maxDocumentBytes + 1) })],
    ['JSON of many times the limit', () => client.postJson({ text: 'a'.repeat(3 * maxDocumentBytes) })],
    ['of unknown length', () => postInChunks(maxDocumentBytes + 1)],
  ])('is 413 beyond, naming the limit: %s', async (_, post) => {
    const response = await post();
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ code: 'DOCUMENT_TOO_LARGE', maxBytes: maxDocumentBytes });
  });
});

function postInChunks(bytes: number): Promise<Response> {
  const chunk = Buffer.alloc(50_000, 'a');
  let left = bytes;
  const body = new ReadableStream({
    pull: (controller) => {
      if (left <= 0) return controller.close();
      controller.enqueue(chunk.subarray(0, Math.min(left, chunk.length)));
      left -= chunk.length;
    },
  });
  const init = { method: 'POST', headers: { 'content-type': 'text/plain' }, body, duplex: 'half' };
  return client.call('/v1/documents', init as CallOptions);
}

describe('the options of a document', () => {
  it('reach the event as they were given', async () => {
    const options = {
      documentId: 'contract 17 – ☂',
      analyses: ['summary', 'sentiment'],
      metadata: { author: 'Zoë', constructor: 'x', note: 'two\nlines' },
      deadlineMs: 60_000,
      priority: 'HIGH',
      sensitivity: 'PUBLIC',
      sourceEventId: 'crm-1',
      stream: true,
    };
    const { analyses, ...rest } = options;
    const event = await eventOf(await client.postJson({ text: 'x', ...options }));
    expect(event).toMatchObject({ ...rest, requestedAnalyses: analyses.toSorted(), revision: 1 });
  });

  it('are the deployment’s where none are given', async () => {
    const event = await eventOf(await client.postJson({ text: 'defaults' }));
    expect(event).toMatchObject({ deadlineMs: 600_000, priority: 'NORMAL', sensitivity: 'INTERNAL', stream: false });
    expect(event.requestedAnalyses).toHaveLength(5);
  });

  it('name an analysis that exists, or the problem names those that do', async () => {
    const response = await client.postJson({ text: 'x', analyses: ['summary', 'horoscope'] });
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({
      code: 'UNKNOWN_ANALYSIS',
      unknown: ['horoscope'],
      known: ['classification', 'compliance', 'entity-extraction', 'sentiment', 'summary'],
    });
  });
});
