import { defineAnalysis, inSlices, requireLanguage } from '@anabranch/analysis-runtime/definition';
import { classify } from './classification.engine.js';
import { classifyByModel } from './classify-by-model.js';
import { defaultTaxonomy } from './default-taxonomy.js';
import { requireLabels } from './require-labels.js';

/** Which class of the taxonomy does the document belong to? */
export const classification = defineAnalysis({
  name: 'classification',
  module: import.meta.url,
  rules: 'taxonomy',
  engine: { kind: 'EMBEDDED', name: 'keywords', version: '4' },
  languageModel: { prompts: [classifyByModel] },
  analyse: async ({ text, offsets, language }, { rules, signal }) => {
    const taxonomy = rules ?? defaultTaxonomy;
    requireLabels(taxonomy);
    requireLanguage(language, taxonomy.languages);
    return { result: await inSlices(classify({ text, offsets, taxonomy }), signal) };
  },
});
