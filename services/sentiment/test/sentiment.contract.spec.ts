import { readFileSync } from 'node:fs';
import { describeAnalysis, describeEnglishOnly } from '@anabranch/analysis-runtime/testing';
import { sentiment } from '../src/sentiment.analysis.js';

const text = readFileSync(new URL('./fixtures/document.txt', import.meta.url), 'utf8');

describeAnalysis(sentiment, { text });
describeEnglishOnly(sentiment);
