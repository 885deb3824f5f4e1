import { analysisService } from '@anabranch/analysis-runtime';
import { sentiment } from './sentiment.analysis.js';

export const service = analysisService(sentiment);
