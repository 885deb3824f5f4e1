import { defineAnalysis, inSlices } from '@anabranch/analysis-runtime/definition';
import { extractByModel } from './extract-by-model.js';
import { extractEntities, maxMentions } from './entity-extraction.engine.js';

const tooMany = `Only the first ${maxMentions} mentions are listed; send the document in parts to get all.`;

/** Which things does the document name, and where? */
export const entityExtraction = defineAnalysis({
  name: 'entity-extraction',
  module: import.meta.url,
  languages: ['en'],
  rules: 'gazetteer',
  engine: { kind: 'EMBEDDED', name: 'perceptron', version: '3' },
  languageModel: { prompts: [extractByModel] },
  analyse: async ({ text, offsets }, { rules, signal }) => {
    const steps = extractEntities({ text, offsets, ...(rules && { gazetteer: rules }) });
    const { result, readTo } = await inSlices(steps, signal);
    if (readTo === null) return { result };
    const coverage = { charactersRead: readTo, charactersTotal: offsets.length, truncated: true };
    return { result, coverage, warnings: [tooMany] };
  },
});
