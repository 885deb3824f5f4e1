import { expect, it } from '@jest/globals';
import { longTextLength } from '../src/document-analyser.js';
import { defineAnalysis } from '../src/define-analysis.js';
import { createHarness, ingestedRecord } from '../src/testing/index.js';

const gate = Promise.withResolvers<void>();

/** Holds up every document that is long. */
const slow = defineAnalysis({
  name: 'summary',
  engine: { kind: 'EMBEDDED', name: 'slow', version: '1' },
  analyse: async ({ text }) => {
    if (text.length > longTextLength) await gate.promise;
    const coverage = { strategy: 'single', chunks: 1, sentencesRead: 1, sentencesTotal: 1 };
    return { result: { kind: 'EXTRACTIVE', text: '', sentences: [], coverage } };
  },
});

it('a short document passes long ones, which wait for each other without a slot', async () => {
  const unused = () => Promise.reject(new Error('there is nothing to store'));
  const harness = createHarness(slow, { store: { get: unused, put: unused } });
  const handle = (documentId: string, text: string) => harness.handle(ingestedRecord({ documentId, text }));
  const sentence = 'The committee met. ';
  const long = ['one', 'two', 'three'].map((documentId) => handle(documentId, sentence.repeat(10_000)));
  await handle('short', sentence);
  expect(harness.published.map(({ event }) => event.documentId)).toEqual(['short']);
  expect(harness.parked).toHaveLength(3);
  gate.resolve();
  await Promise.all(long);
  expect(harness.published).toHaveLength(4);
});
