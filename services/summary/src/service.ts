import { analysisService } from '@anabranch/analysis-runtime';
import { summary } from './summary.analysis.js';

export const service = analysisService(summary);
