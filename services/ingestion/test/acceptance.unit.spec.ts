import { describe, expect, it } from '@jest/globals';
import type { ContentRef } from '@anabranch/contracts';
import type { AcceptedDocument, JobView, NewDocument } from '@anabranch/database/jobs';
import { DependencyUnavailable, PoisonMessage } from '@anabranch/failures';
import type { ObjectStore } from '@anabranch/object-store';
import { createAcceptance } from '../src/documents/acceptance.js';
import type { DocumentRequest } from '../src/documents/document-request.js';

const long = 'long '.repeat(5_000);
const sender = { tenantId: 'acme', correlationId: 'request', traceparent: 'trace', idempotency: null };

const request = (change: Partial<DocumentRequest> = {}): DocumentRequest => ({
  text: 'Hello',
  mediaType: 'text/plain',
  charset: 'utf-8',
  analyses: [],
  metadata: {},
  deadlineMs: 0,
  priority: 'NORMAL',
  sensitivity: 'INTERNAL',
  stream: false,
  ...change,
});

/** What happened in the store and in the database, in order. */
function world(answer: AcceptedDocument | Error = { job: {} as JobView, created: true, replayed: false }) {
  const steps: string[] = [];
  const documents: NewDocument[] = [];
  const store: ObjectStore = {
    put: (key, bytes): Promise<ContentRef> => {
      steps.push('put');
      return Promise.resolve({ key, sha256: '', bytes: bytes.byteLength });
    },
    remove: () => {
      steps.push('remove');
      return Promise.reject(new Error('a removal that fails harms nobody'));
    },
    get: () => Promise.reject(new Error('not read')),
    has: () => Promise.resolve(false),
    check: () => Promise.resolve(),
  };
  const accept = createAcceptance({
    accept: (document) => {
      steps.push('accept');
      documents.push(document);
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    },
    knownAnalyses: () => Promise.resolve(['sentiment', 'summary']),
    store,
    readHtml: (html) => Promise.resolve(html.replaceAll(/<[^>]*>/g, '')),
    deadlineMs: 600_000,
    graceMs: null,
    limits: { unsettledJobs: 0, waitingEvents: 0 },
    onLimitReached: (limit) => steps.push(limit),
  });
  return { accept, steps, documents };
}

describe('acceptance', () => {
  it('stores what does not travel inline before it accepts', async () => {
    const { accept, steps, documents } = world();
    await accept(request({ text: long }), sender);
    expect(steps).toEqual(['put', 'accept']);
    expect(documents[0]).toMatchObject({ text: null, textRef: { bytes: long.length } });
  });

  it('stores nothing that travels inline', async () => {
    const { accept, steps, documents } = world();
    await accept(request(), sender);
    expect(steps).toEqual(['accept']);
    expect(documents[0]).toMatchObject({ text: 'Hello', textRef: null, deadlineMs: 600_000, documentId: null });
  });

  it('removes the object of a document that had its job already', async () => {
    const { accept, steps } = world({ job: {} as JobView, created: false, replayed: false });
    await accept(request({ text: long }), sender);
    expect(steps).toEqual(['put', 'accept', 'remove']);
  });

  it('removes the object of a document that was refused, and tells the caller why', async () => {
    const { accept, steps } = world(new PoisonMessage('INVALID_EVENT', 'No such analysis: summary.'));
    await expect(accept(request({ text: long }), sender)).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      detail: 'No such analysis: summary.',
    });
    expect(steps).toEqual(['put', 'accept', 'remove']);
  });

  it('keeps the object when nobody knows whether the document was accepted', async () => {
    const { accept, steps } = world(new DependencyUnavailable('postgres', 'The connection broke at COMMIT.'));
    await expect(accept(request({ text: long }), sender)).rejects.toMatchObject({ dependency: 'postgres' });
    expect(steps).toEqual(['put', 'accept']);
  });

  it('refuses an analysis that nobody offers before it stores anything', async () => {
    const { accept, steps } = world();
    await expect(accept(request({ text: long, analyses: ['horoscope'] }), sender)).rejects.toMatchObject({
      code: 'UNKNOWN_ANALYSIS',
    });
    expect(steps).toEqual([]);
  });

  it('compares contents by text, media type, sensitivity and the rules they name, and by nothing else', async () => {
    const { accept, documents } = world();
    const changes: Partial<DocumentRequest>[] = [
      {},
      { text: 'Hel\0lo' },
      {
        priority: 'HIGH',
        deadlineMs: 5,
        metadata: { a: 'b' },
        stream: true,
        sourceEventId: 's',
        charset: 'windows-1252',
      },
      { text: 'Hello!' },
      { mediaType: 'text/html' },
      { sensitivity: 'PUBLIC' },
      { metadata: { a: 'b', 'anabranch.taxonomy': 'topics' } },
      { metadata: { 'anabranch.ruleset': 'topics' } },
    ];
    for (const change of changes) await accept(request(change), sender);
    const hashes = documents.map(({ contentSha256 }) => contentSha256);
    expect(hashes[1]).toBe(hashes[0]);
    expect(hashes[2]).toBe(hashes[0]);
    expect(new Set(hashes).size).toBe(6);
  });
});
