import { defineAnalysis, inSlices } from '@anabranch/analysis-runtime/definition';
import { summariseByModel } from './summarise-by-model.js';
import { summarise } from './summary.engine.js';

/** What does the document say? Its own most telling sentences. */
export const summary = defineAnalysis({
  name: 'summary',
  module: import.meta.url,
  languages: ['en'],
  engine: { kind: 'EMBEDDED', name: 'text-rank', version: '3' },
  languageModel: { prompts: [summariseByModel] },
  analyse: async (document, { signal }) => ({ result: await inSlices(summarise(document), signal) }),
});
