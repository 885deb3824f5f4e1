import { readFileSync } from 'node:fs';
import { describeModelAnalysis, readReplies } from '@anabranch/analysis-runtime/testing';
import { summary } from '../src/summary.analysis.js';

const text = readFileSync(new URL('./fixtures/document.txt', import.meta.url), 'utf8');

describeModelAnalysis(summary, { text, replies: readReplies(new URL('./fixtures/replies/', import.meta.url)) });
