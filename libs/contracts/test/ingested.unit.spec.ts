import { describe, expect, it } from '@jest/globals';
import { completeIngested, fillDefaults, jobIdOf, type DocumentIngestedInput } from '../src/index.js';

const minimal: DocumentIngestedInput = {
  tenantId: 'acme',
  documentId: 'd-1',
  revision: 3,
  occurredAt: 1_779_012_000_000,
  text: 'Hello.',
};
const jobId = jobIdOf({ tenantId: 'acme', documentId: 'd-1', revision: 3 });
const ref = { key: 'acme/9f/3/text', sha256: 'ab'.repeat(32), bytes: 20_000 };

const complete = (change: Partial<DocumentIngestedInput> = {}, key: string | Buffer | null = 'd-1') =>
  completeIngested(fillDefaults('document.ingested', { ...minimal, ...change }), { key });

describe('a document straight from Kafka is a full citizen', () => {
  it('what its producer left empty is derived, the same at every reader', () => {
    const event = complete();
    expect(event).toMatchObject({ jobId, correlationId: jobId });
    expect(event.eventId).toBe(complete().eventId);
    expect(event.eventId).not.toBe('');
  });

  it('what its producer filled is kept', () => {
    const filled = { jobId, eventId: 'e-1', correlationId: 'c-1' };
    expect(complete(filled)).toMatchObject(filled);
  });

  it('an analysis that is asked for twice is asked for once', () => {
    expect(complete({ requestedAnalyses: ['summary', 'sentiment', 'summary'] }).requestedAnalyses).toEqual([
      'summary',
      'sentiment',
    ]);
  });

  it('the key may come as bytes', () => {
    expect(complete({ documentId: '文書' }, Buffer.from('文書')).documentId).toBe('文書');
  });

  it.each([
    ['an empty text', { text: '' }],
    ['a claim check instead of text', { text: null, textRef: ref }],
    ['text with NUL, which every reader cleans', { text: 'a\0b' }],
    ['labels in any script', { metadata: { größe: '大' } }],
    ['a revision from the clock', { revision: 1_779_012_000_123 }],
    ['the highest revision', { revision: 2 ** 52 }],
    ['the longest labels', { language: 'x'.repeat(35), charset: 'x'.repeat(40), mediaType: 'x'.repeat(127) }],
    ['as much metadata as HTTP takes', { metadata: { key: 'x'.repeat(16_374) } }],
  ])('%s is accepted', (_, change) => {
    expect(complete(change)).toMatchObject(change);
  });
});

describe('what cannot be a document is poison', () => {
  it.each([
    ['no key', null],
    ['another document’s key', 'd-2'],
    ['a binary key', Buffer.from([0xff, 0xfe])],
    ['an empty key', ''],
  ])('%s', (_, key) => {
    expect(() => complete({}, key)).toThrow(expect.objectContaining({ code: 'KEY_MISMATCH' }));
  });

  it('a job id that does not follow from tenant, document and revision', () => {
    const other = jobIdOf({ tenantId: 'acme', documentId: 'd-1', revision: 4 });
    expect(() => complete({ jobId: other })).toThrow(expect.objectContaining({ code: 'JOB_ID_MISMATCH' }));
  });

  it.each<[string, Partial<DocumentIngestedInput>]>([
    ['tenantId', { tenantId: '' }],
    ['tenantId', { tenantId: 'a/b' }],
    ['tenantId', { tenantId: '..' }],
    ['tenantId', { tenantId: 'a\\b' }],
    ['documentId', { documentId: '' }],
    ['documentId', { documentId: 'a\nb' }],
    ['documentId', { documentId: 'x'.repeat(513) }],
    ['revision', { revision: -1 }],
    ['revision', { revision: 2 ** 52 + 1 }],
    ['revision', { revision: Number.MAX_SAFE_INTEGER }],
    ['eventId', { eventId: 'x'.repeat(513) }],
    ['correlationId', { correlationId: 'x'.repeat(513) }],
    ['causationId', { causationId: 'x'.repeat(513) }],
    ['sourceEventId', { sourceEventId: 'x'.repeat(513) }],
    ['language', { language: 'x'.repeat(300_000) }],
    ['language', { language: 'x'.repeat(36) }],
    ['charset', { charset: 'x'.repeat(41) }],
    ['mediaType', { mediaType: 'x'.repeat(128) }],
    ['textSha256', { textSha256: 'AB'.repeat(32) }],
    ['textSha256', { textSha256: 'x'.repeat(300_000) }],
    ['metadata', { metadata: Object.fromEntries(Array.from({ length: 51 }, (_, at) => [`k${at}`, ''])) }],
    ['metadata', { metadata: { key: 'ü'.repeat(8_192) } }],
    ['occurredAt', { occurredAt: -1 }],
    ['occurredAt', { occurredAt: 8_640_000_000_000_001 }],
    ['deadlineMs', { deadlineMs: -1 }],
    ['deadlineMs', { deadlineMs: Number.MAX_SAFE_INTEGER }],
    ['requestedAnalyses', { requestedAnalyses: ['../summary'] }],
    ['requestedAnalyses', { requestedAnalyses: Array.from({ length: 101 }, (_, index) => `a${index}`) }],
    ['text', { text: null }],
    ['NUL', { metadata: { a: 'b\0' } }],
    ['NUL', { sourceEventId: '\0' }],
    ['textRef.key', { textRef: { ...ref, key: 'other/9f/3/text' } }],
    ['textRef.key', { textRef: { ...ref, key: 'acme' } }],
    ['textRef.key', { textRef: { ...ref, key: 'acme/../other/text' } }],
    ['textRef.key', { textRef: { ...ref, key: 'acme//text' } }],
    ['textRef.key', { textRef: { ...ref, key: 'acme/..\\text' } }],
    ['textRef.key', { textRef: { ...ref, key: '/etc/passwd' } }],
    ['textRef.key', { textRef: { ...ref, key: 'https://example.com/text' } }],
    ['textRef.sha256', { textRef: { ...ref, sha256: 'AB'.repeat(32) } }],
    ['textRef.bytes', { textRef: { ...ref, bytes: -1 } }],
  ])('%s breaks a rule, which is named', (field, change) => {
    const documentId = change.documentId ?? 'd-1';
    expect(() => complete(change, documentId)).toThrow(
      expect.objectContaining({ code: 'INVALID_EVENT', message: expect.stringContaining(field) }),
    );
  });
});
