import { describe, expect, it } from '@jest/globals';
import { redact } from '../src/index.js';
import { eventTopics, exampleOf } from './schemas.js';

/** Words of the document, masked values, and labels that were put on it. */
const words = /Anna|Northwind|meyer|wrong|DE\*\*|complaint|MIXED/;

describe('nothing of a document reaches a log', () => {
  it('of document.ingested only public and internal fields are left', () => {
    const redacted = redact('document.ingested', exampleOf('document.ingested'));
    expect(redacted).toMatchObject({
      tenantId: 'acme',
      documentId: 'letter-2026-0517',
      revision: 1,
      mediaType: 'text/plain',
    });
    expect(redacted).not.toHaveProperty('text');
    expect(redacted).not.toHaveProperty('metadata');
  });

  it.each(eventTopics)('no word of the document is left of %s', (topic) => {
    const text = JSON.stringify(redact(topic, exampleOf(topic)));
    expect(JSON.stringify(exampleOf(topic))).toMatch(words);
    expect(text).not.toMatch(words);
    expect(text).toContain('letter-2026-0517');
  });

  it('what is needed to see how an analysis ended stays, at every depth', () => {
    const event = exampleOf('document.enriched');
    const redacted = redact('document.enriched', event) as { outcomes: Record<string, unknown>[] };
    expect(redacted.outcomes.map(({ analysis, status }) => [analysis, status])).toEqual(
      event.outcomes.map(({ analysis, status }) => [analysis, status]),
    );
    expect(redacted.outcomes[0]).toMatchObject({ engine: { kind: 'EMBEDDED' }, coverage: { truncated: false } });
    expect(redacted.outcomes[0]).not.toHaveProperty('resultJson');
  });

  it('a hidden field hides its public parts, too', () => {
    const redacted = redact('analysis.compliance.finished', exampleOf('analysis.compliance.finished'));
    expect(redacted.outcome).toEqual({ status: 'DONE', refusal: null, failure: null });
  });

  it('what the schema does not know is hidden', () => {
    const event = { ...exampleOf('document.ingested'), note: 'Dear Ms Meyer', constructor: 'x' };
    expect(redact('document.ingested', event)).not.toHaveProperty('note');
    expect(Object.keys(redact('document.ingested', event))).not.toContain('constructor');
  });
});
