import { defineAnalysis, inSlices } from '@anabranch/analysis-runtime/definition';
import { judgeByModel } from './judge-by-model.js';
import { readSentiment } from './sentiment.engine.js';

/** What does the document feel about its subject, and which words say so? */
export const sentiment = defineAnalysis({
  name: 'sentiment',
  module: import.meta.url,
  languages: ['en'],
  engine: { kind: 'EMBEDDED', name: 'afinn-lexicon', version: '3' },
  languageModel: { prompts: [judgeByModel] },
  analyse: (document, { signal }) => inSlices(readSentiment(document), signal),
});
