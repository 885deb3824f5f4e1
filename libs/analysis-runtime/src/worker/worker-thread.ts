// Runs in the worker thread: answers one document at a time, and knows neither Kafka nor the store.
import { parentPort } from 'node:worker_threads';
import { PoisonMessage } from '@anabranch/failures';
import { type AnalysedOutcome, analyseDocument } from '../analyse-document.js';
import type { AnyAnalysis } from '../define-analysis.js';
import type { WorkerReply, WorkerRequest } from './protocol.js';
import { receivedRules, type WorkerMessage } from './rules-once.js';

// The thread is ended when its document is no longer wanted; nothing within it has to stop.
const never = new AbortController().signal;

const isDefinition = (value: unknown, name: string): value is AnyAnalysis =>
  typeof value === 'object' && value !== null && 'analyse' in value && 'name' in value && value.name === name;

const load = async ({ module, name, maxCharacters }: WorkerRequest): Promise<AnyAnalysis> => {
  const exported = Object.values((await import(module)) as object);
  const definition = exported.find((value) => isDefinition(value, name));
  if (definition === undefined) throw new Error(`The module of the analysis ${name} does not export its definition.`);
  return { ...definition, maxCharacters };
};

const failureOf = (error: unknown): WorkerReply => {
  if (error instanceof PoisonMessage) return { kind: 'poison', code: error.code, message: error.message };
  const { message, stack = '' } = error instanceof Error ? error : new Error('The worker thread threw a value.');
  return { kind: 'bug', message, stack };
};

const buffersOf = ({ content }: AnalysedOutcome): ArrayBuffer[] =>
  content !== null && content.buffer instanceof ArrayBuffer && content.byteLength === content.buffer.byteLength
    ? [content.buffer]
    : [];

const answer = async (request: WorkerRequest): Promise<void> => {
  const reply = (message: WorkerReply, transfer: ArrayBuffer[] = []): void =>
    parentPort?.postMessage(message, transfer);
  try {
    const definition = await load(request);
    const outcome = await analyseDocument({ definition, signal: never, now: Date.now }, request);
    reply({ kind: 'outcome', outcome }, buffersOf(outcome));
  } catch (error) {
    reply(failureOf(error));
  }
};

parentPort?.on('message', (message: WorkerMessage) => void answer({ ...message, rules: receivedRules(message.rules) }));
