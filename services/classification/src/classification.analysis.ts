import { defineAnalysis, inSlices, requireLanguage } from '@anabranch/analysis-runtime/definition';
import { failureCodes, Refused } from '@anabranch/failures';
import type { Taxonomy } from '@anabranch/rules';
import { classify } from './classification.engine.js';
import { defaultTaxonomy } from './default-taxonomy.js';

/** A taxonomy without labels is refused, by name: there is nothing to choose from. */
export function requireLabels({ id, labels }: Taxonomy): void {
  if (labels.length === 0) throw new Refused('NO_LABELS', `${failureCodes.NO_LABELS.text} It is ${id}.`);
}

/** Which class of the taxonomy does the document belong to? */
export const classification = defineAnalysis({
  name: 'classification',
  module: import.meta.url,
  rules: 'taxonomy',
  engine: { kind: 'EMBEDDED', name: 'keywords', version: '3' },
  analyse: async ({ text, offsets, language }, { rules, signal }) => {
    const taxonomy = rules ?? defaultTaxonomy;
    requireLabels(taxonomy);
    requireLanguage(language, taxonomy.languages);
    return { result: await inSlices(classify({ text, offsets, taxonomy }), signal) };
  },
});
