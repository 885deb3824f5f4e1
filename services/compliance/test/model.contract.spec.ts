import { readFileSync } from 'node:fs';
import { describeModelAnalysis, readReplies } from '@anabranch/analysis-runtime/testing';
import { compliance } from '../src/compliance.analysis.js';

const text = readFileSync(new URL('./fixtures/document.txt', import.meta.url), 'utf8');

describeModelAnalysis(compliance, { text, replies: readReplies(new URL('./fixtures/replies/', import.meta.url)) });
