import { defineAnalysis, inSlices } from '@anabranch/analysis-runtime/definition';
import { complianceConfig, hashKeyOf } from './compliance.config.js';
import { inspect } from './compliance.engine.js';
import { defaultRuleset } from './default-ruleset.js';
import { inspectByModel } from './inspect-by-model.js';

/** Numbers and addresses speak every language; the words that announce the others are looked for in English. */
const outsideEnglish =
  'The text is not in English: identifiers are found that show by themselves what they are, not those that only a word announces.';

/** Which sensitive identifiers does the document hold, and which rules do they breach? */
export const compliance = defineAnalysis({
  name: 'compliance',
  module: import.meta.url,
  rules: 'ruleset',
  config: complianceConfig,
  engine: { kind: 'EMBEDDED', name: 'identifiers', version: '4' },
  languageModel: { prompts: [inspectByModel] },
  analyse: async ({ text, offsets, language, tenantId }, { config, rules, signal }) => {
    const hmacKey = hashKeyOf(config, tenantId);
    return {
      result: await inSlices(inspect({ text, offsets, ruleset: rules ?? defaultRuleset, hmacKey }), signal),
      warnings: language === null || /^en(-|$)/i.test(language) ? [] : [outsideEnglish],
    };
  },
});
