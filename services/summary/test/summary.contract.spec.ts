import { readFileSync } from 'node:fs';
import { describeAnalysis, describeEnglishOnly } from '@anabranch/analysis-runtime/testing';
import { summary } from '../src/summary.analysis.js';

const text = readFileSync(new URL('./fixtures/document.txt', import.meta.url), 'utf8');

describeAnalysis(summary, { text });
describeEnglishOnly(summary);
