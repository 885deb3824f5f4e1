import { readFileSync } from 'node:fs';
import { describeAnalysis, describeEnglishOnly } from '@anabranch/analysis-runtime/testing';
import { classification } from '../src/classification.analysis.js';

const text = readFileSync(new URL('./fixtures/document.txt', import.meta.url), 'utf8');

describeAnalysis(classification, { text });
describeEnglishOnly(classification);
