import { analysisService } from '@anabranch/analysis-runtime';
import { classification } from './classification.analysis.js';

export const service = analysisService(classification);
