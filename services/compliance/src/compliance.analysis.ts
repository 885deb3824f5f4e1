import { defineAnalysis, inSlices } from '@anabranch/analysis-runtime';
import { inspect } from './compliance.engine.js';
import { defaultRuleset } from './default-ruleset.js';

/** Which sensitive identifiers does the document hold, and which rules do they breach? */
export const compliance = defineAnalysis({
  name: 'compliance',
  rules: 'ruleset',
  engine: { kind: 'EMBEDDED', name: 'identifiers', version: '1' },
  analyse: async ({ text, offsets }, { rules, signal }) => ({
    result: await inSlices(inspect({ text, offsets, ruleset: rules ?? defaultRuleset }), signal),
  }),
});
