import { analysisService } from '@anabranch/analysis-runtime';
import { compliance } from './compliance.analysis.js';

export const service = analysisService(compliance);
