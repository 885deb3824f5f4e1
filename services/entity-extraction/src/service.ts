import { analysisService } from '@anabranch/analysis-runtime';
import { entityExtraction } from './entity-extraction.analysis.js';

export const service = analysisService(entityExtraction);
