import { defineAnalysis, inSlices } from '@anabranch/analysis-runtime';
import { extractEntities } from './entity-extraction.engine.js';

/** Which things does the document name, and where? */
export const entityExtraction = defineAnalysis({
  name: 'entity-extraction',
  engine: { kind: 'EMBEDDED', name: 'capitalised-spans', version: '1' },
  analyse: async (document, { signal }) => ({ result: await inSlices(extractEntities(document), signal) }),
});
