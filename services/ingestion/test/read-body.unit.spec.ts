import { describe, expect, it } from '@jest/globals';
import { readDocument, type IncomingDocument } from '../src/documents/read-body.js';
import { Problem } from '../src/http/problem.js';

const maxBytes = 1_000;

const read = (incoming: Partial<IncomingDocument>) =>
  readDocument(
    { contentType: undefined, query: {}, metadataHeader: undefined, body: undefined, ...incoming },
    maxBytes,
  );
const readJson = (body: unknown) =>
  read({ contentType: 'application/json', body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)) });
const readRaw = (incoming: Partial<IncomingDocument>) =>
  read({ contentType: 'text/plain', body: Buffer.from('text'), ...incoming });

function problemOf(action: () => unknown): Problem {
  try {
    action();
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
  throw new Error('No problem was thrown.');
}

const defaults = {
  analyses: [],
  metadata: {},
  deadlineMs: 0,
  priority: 'NORMAL',
  sensitivity: 'INTERNAL',
  stream: false,
};

describe('a JSON document', () => {
  it('needs a text and nothing else', () => {
    expect(readJson({ text: 'Hello' })).toEqual({
      text: 'Hello',
      mediaType: 'text/plain',
      charset: 'utf-8',
      ...defaults,
    });
  });

  it('may be empty', () => {
    expect(readJson({ text: '' }).text).toBe('');
  });

  it('takes every option', () => {
    const options = {
      documentId: 'contract 17 – Zoë ☂',
      analyses: ['summary'],
      mediaType: 'text/html',
      metadata: { author: 'Ada', note: 'two\nlines' },
      deadlineMs: 60_000,
      priority: 'HIGH',
      sensitivity: 'RESTRICTED',
      sourceEventId: 'crm-1',
      stream: true,
    };
    expect(readJson({ text: 'x', ...options })).toEqual({ text: 'x', charset: 'utf-8', ...options });
  });

  it('may begin with a byte order mark', () => {
    expect(readJson('\ufeff{"text":"x"}').text).toBe('x');
  });

  it.each([
    ['no text', {}, 'MISSING_TEXT'],
    ['no text among other fields', { documentId: 'd' }, 'MISSING_TEXT'],
    ['a text of null', { text: null }, 'INVALID_REQUEST'],
    ['a text that is a number', { text: 5 }, 'INVALID_REQUEST'],
    ['a list instead of an object', ['x'], 'INVALID_REQUEST'],
    ['a misspelt option', { text: 'x', analysis: ['summary'] }, 'INVALID_REQUEST'],
    ['an empty document id', { text: 'x', documentId: '' }, 'INVALID_REQUEST'],
    ['a document id of 257 characters', { text: 'x', documentId: 'd'.repeat(257) }, 'INVALID_REQUEST'],
    ['a document id with a line end', { text: 'x', documentId: 'a\nb' }, 'INVALID_REQUEST'],
    ['a document id with NUL', { text: 'x', documentId: 'a\0b' }, 'INVALID_REQUEST'],
    ['a document id that turns the direction of writing', { text: 'x', documentId: 'a\u202eb' }, 'INVALID_REQUEST'],
    ['a document id with a lone surrogate', { text: 'x', documentId: 'a\ud800' }, 'INVALID_REQUEST'],
    ['a document id of white space', { text: 'x', documentId: ' ' }, 'INVALID_REQUEST'],
    ['51 labels', { text: 'x', metadata: Object.fromEntries(range(51).map((n) => [`k${n}`, 'v'])) }, 'INVALID_REQUEST'],
    ['a label that is a number', { text: 'x', metadata: { pages: 7 } }, 'INVALID_REQUEST'],
    ['a label that is too long', { text: 'x', metadata: { k: 'v'.repeat(1_025) } }, 'INVALID_REQUEST'],
    ['a label with NUL', { text: 'x', metadata: { k: 'a\0' } }, 'INVALID_REQUEST'],
    ['a label without a name', { text: 'x', metadata: { '': 'v' } }, 'INVALID_REQUEST'],
    ['labels that are too large together', { text: 'x', metadata: bigLabels() }, 'INVALID_REQUEST'],
    ['a negative deadline', { text: 'x', deadlineMs: -1 }, 'INVALID_REQUEST'],
    ['half a millisecond', { text: 'x', deadlineMs: 1.5 }, 'INVALID_REQUEST'],
    ['an unknown priority', { text: 'x', priority: 'UNKNOWN' }, 'INVALID_REQUEST'],
    ['an unknown sensitivity', { text: 'x', sensitivity: 'confidential' }, 'INVALID_REQUEST'],
    ['a media type that JSON does not carry', { text: 'x', mediaType: 'application/pdf' }, 'INVALID_REQUEST'],
    ['101 analyses', { text: 'x', analyses: range(101).map((n) => `a${n}`) }, 'INVALID_REQUEST'],
  ])('is refused with %s', (_, body, code) => {
    expect(problemOf(() => readJson(body)).code).toBe(code);
  });

  it('has exactly 50 labels of exactly the allowed length at most', () => {
    const metadata = Object.fromEntries(range(50).map((n) => [`k${n}`, 'v'.repeat(300)]));
    expect(Object.keys(readJson({ text: 'x', metadata }).metadata)).toHaveLength(50);
    expect(readJson({ text: 'x', documentId: 'd'.repeat(256) }).documentId).toHaveLength(256);
  });

  it('cannot reach the prototype of anything', () => {
    expect(problemOf(() => readJson('{"text":"x","__proto__":{"documentId":"p"}}')).code).toBe('INVALID_REQUEST');
    const { metadata } = readJson('{"text":"x","metadata":{"constructor":"c","__proto__":"p"}}');
    expect(Object.getPrototypeOf(metadata)).toBe(Object.prototype);
    expect(metadata.constructor).toBe('c');
  });

  it.each(['', '   ', '{', '{"text":"se', '{"text":"secret" oops}', '[1,]', 'secret'])(
    'is refused when it is %j, and the problem does not repeat it',
    (body) => {
      const problem = problemOf(() => readJson(body));
      expect(problem.code).toBe('INVALID_JSON');
      expect(JSON.stringify(problem.toBody('/v1/documents'))).not.toContain('secret');
      expect(problem.cause).toBeUndefined();
    },
  );

  it('says where its fault is', () => {
    expect(problemOf(() => readJson('{"text":"a",}')).detail).toContain('at position 12');
  });

  it('is refused when it is not UTF-8, or says that it is not', () => {
    const latin1 = Buffer.from('{"text":"Zoë"}', 'latin1');
    expect(problemOf(() => read({ contentType: 'application/json', body: latin1 })).code).toBe('INVALID_JSON');
    const body = Buffer.from('{"text":"x"}');
    expect(problemOf(() => read({ contentType: 'application/json; charset=utf-16', body })).code).toBe(
      'UNSUPPORTED_CHARSET',
    );
    expect(read({ contentType: 'application/json; charset="UTF-8"', body }).text).toBe('x');
  });

  it('has its options in the body and nowhere else', () => {
    const body = Buffer.from('{"text":"x"}');
    const stray = { contentType: 'application/json', body };
    expect(problemOf(() => read({ ...stray, query: { documentId: 'd' } })).code).toBe('INVALID_REQUEST');
    expect(problemOf(() => read({ ...stray, metadataHeader: 'a=b' })).code).toBe('INVALID_REQUEST');
  });

  it('may have exactly as many bytes of text as the limit says', () => {
    expect(readJson({ text: 'é'.repeat(maxBytes / 2) }).text).toHaveLength(maxBytes / 2);
    expect(problemOf(() => readJson({ text: `${'é'.repeat(maxBytes / 2)}.` })).code).toBe('DOCUMENT_TOO_LARGE');
  });

  it('never comes back in the problem about it', () => {
    const secret = 'secret '.repeat(30);
    const bodies = [
      { text: 5, [secret]: secret },
      { text: 'x', priority: secret },
      { text: 'x', metadata: { [secret]: 1 } },
    ];
    for (const body of bodies) {
      const problem = problemOf(() => readJson(body));
      expect(JSON.stringify(problem.toBody('/')).length).toBeLessThan(800);
      expect(problem.detail).not.toContain(secret);
    }
  });
});

describe('a raw document', () => {
  it.each(['text/plain', 'text/markdown', 'text/html'])('may be %s', (contentType) => {
    expect(readRaw({ contentType })).toEqual({ text: 'text', mediaType: contentType, charset: 'utf-8', ...defaults });
  });

  it('may be empty, also without a body', () => {
    expect(readRaw({ body: Buffer.alloc(0) }).text).toBe('');
    expect(readRaw({ body: undefined }).text).toBe('');
  });

  it('takes its character set from its Content-Type', () => {
    const body = Buffer.from([0x80]);
    expect(readRaw({ contentType: 'Text/Plain; format=flowed; CHARSET="windows-1252"', body })).toMatchObject({
      text: '€',
      charset: 'windows-1252',
    });
  });

  it('takes its options from the query', () => {
    const query = {
      documentId: 'd',
      analyses: 'summary,sentiment',
      deadlineMs: '60000',
      priority: 'LOW',
      sensitivity: 'PUBLIC',
      sourceEventId: 's',
      stream: 'true',
    };
    expect(readRaw({ query })).toMatchObject({
      ...query,
      analyses: ['summary', 'sentiment'],
      deadlineMs: 60_000,
      stream: true,
    });
    expect(readRaw({ query: { analyses: ['summary', 'sentiment'] } }).analyses).toEqual(['summary', 'sentiment']);
    expect(readRaw({ query: { analyses: '' } }).analyses).toEqual([]);
  });

  it('takes its labels from a header, in any language', () => {
    const metadataHeader = 'author=Zo%C3%AB%20%E2%98%82, case=a%3Db%2Cc';
    expect(readRaw({ metadataHeader }).metadata).toEqual({ author: 'Zoë ☂', case: 'a=b,c' });
    expect(readRaw({ metadataHeader: ' ' }).metadata).toEqual({});
  });

  it.each([
    ['an unknown option', { query: { document: 'd' } }],
    ['an option given twice', { query: { documentId: ['a', 'b'] } }],
    ['a deadline that is no number', { query: { deadlineMs: '1e3' } }],
    ['an empty deadline', { query: { deadlineMs: '' } }],
    ['a flag that is neither true nor false', { query: { stream: 'yes' } }],
    ['a label without a value', { metadataHeader: 'author' }],
    ['a label without a name', { metadataHeader: '=Ada' }],
    ['a label with a broken escape', { metadataHeader: 'author=%zz' }],
  ])('is refused with %s', (_, incoming) => {
    expect(problemOf(() => readRaw(incoming)).code).toBe('INVALID_REQUEST');
  });

  it('is told which options there are when it has another', () => {
    expect(problemOf(() => readRaw({ query: { document: 'd' } })).message).toMatch(
      /unknown: document \(known: documentId, /,
    );
  });

  it('may have exactly as many bytes as the limit says', () => {
    expect(readRaw({ body: Buffer.alloc(maxBytes, 'a') }).text).toHaveLength(maxBytes);
    expect(problemOf(() => readRaw({ body: Buffer.alloc(maxBytes + 1, 'a') })).code).toBe('DOCUMENT_TOO_LARGE');
  });
});

describe('any other body', () => {
  it.each(['application/pdf', 'text/css', 'application/x-www-form-urlencoded', '', undefined, 'text/plain2'])(
    'of type %j is refused with the list of accepted types',
    (contentType) => {
      const problem = problemOf(() => read({ contentType, body: Buffer.from('x') }));
      expect(problem.status).toBe(415);
      expect(problem.options.extensions).toEqual({
        accepted: ['application/json', 'text/plain', 'text/markdown', 'text/html'],
      });
    },
  );
});

function range(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}

function bigLabels(): Record<string, string> {
  return Object.fromEntries(range(20).map((n) => [`k${n}`, 'v'.repeat(1_000)]));
}
