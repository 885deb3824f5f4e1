import { defineAnalysis, inSlices } from '@anabranch/analysis-runtime/definition';
import { extractByModel } from './extract-by-model.js';
import { extractEntities } from './entity-extraction.engine.js';

/** Which things does the document name, and where? */
export const entityExtraction = defineAnalysis({
  name: 'entity-extraction',
  module: import.meta.url,
  languages: ['en'],
  rules: 'gazetteer',
  engine: { kind: 'EMBEDDED', name: 'perceptron', version: '2' },
  languageModel: { prompts: [extractByModel] },
  analyse: async ({ text, offsets }, { rules, signal }) => ({
    result: await inSlices(extractEntities({ text, offsets, ...(rules && { gazetteer: rules }) }), signal),
  }),
});
