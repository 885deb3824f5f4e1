import { describe, expect, test } from '@jest/globals';
import { analysisTopic, analysisTopics, encodeValue, jobIdOf } from '@anabranch/contracts';
import { analysisFinished, documentIngested } from '../src/events.js';

describe('a built event', () => {
  test('of a document has its derived ids, and what was given', () => {
    const document = documentIngested({ documentId: 'd1', revision: 3, text: '' });
    expect(document).toMatchObject({ documentId: 'd1', revision: 3, text: '', jobId: jobIdOf(document) });
  });

  test.each(analysisTopics.map(({ analysis }) => String(analysis)))('of %s is valid with every status', (analysis) => {
    for (const status of ['DONE', 'REFUSED', 'FAILED'] as const) {
      const event = analysisFinished(analysis, documentIngested(), { status, run: 2 });
      expect(() => encodeValue(analysisTopic(analysis), event, 1)).not.toThrow();
      expect(event).toMatchObject({ run: 2, outcome: { status } });
    }
  });

  test('is the same fact when the same run ends the same way again', () => {
    const document = documentIngested();
    expect(analysisFinished('summary', document).eventId).toBe(analysisFinished('summary', document).eventId);
    expect(analysisFinished('summary', document, { run: 2 }).eventId).not.toBe(
      analysisFinished('summary', document).eventId,
    );
  });
});
