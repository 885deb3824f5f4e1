import { readFileSync } from 'node:fs';
import { jest } from '@jest/globals';
import { describeAnalysis, describeEnglishOnly } from '@anabranch/analysis-runtime/testing';
import { entityExtraction } from '../src/entity-extraction.analysis.js';

const text = readFileSync(new URL('./fixtures/document.txt', import.meta.url), 'utf8');

// The suite bounds processor time; wall time on a shared machine may be many times that.
jest.setTimeout(60_000);

describeAnalysis(entityExtraction, { text });
describeEnglishOnly(entityExtraction);
