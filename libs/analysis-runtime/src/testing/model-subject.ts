import { readFileSync } from 'node:fs';
import type { DocumentIngestedInput } from '@anabranch/contracts';
import type { ModelReply, ModelRequest } from '@anabranch/language-model';
import { createReplayingModel, type Replay, replyOf } from '@anabranch/language-model/testing';
import { splitSentences } from '@anabranch/text';
import type { AnyAnalysis } from '../define-analysis.js';
import { createHarness, type HarnessModel, ingestedRecord } from './harness.js';
import { createMemoryModelCalls, type MemoryModelCalls } from './memory-model-calls.js';

/** What a model said, one file per outcome. */
export interface ReplyFixtures {
  /** As it should be. */
  done: ModelReply;
  /** Not what the schema asks for. */
  invalid: ModelReply;
  /** Cut, because it did not fit. */
  cut: ModelReply;
  refused: ModelReply;
}

/** Reads `done.json`, `invalid.json`, `cut.json` and `refused.json` in a folder. */
export function readReplies(folder: URL): ReplyFixtures {
  const read = (name: string): ModelReply =>
    replyOf(JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8')) as Partial<ModelReply>);
  return { done: read('done'), invalid: read('invalid'), cut: read('cut'), refused: read('refused') };
}

export interface ModelFixtures {
  /** The document that `replies.done` is about. */
  text: string;
  replies: ReplyFixtures;
}

const stored = { key: 'tenant-1/result', sha256: 'a'.repeat(64), bytes: 1 };

/** An object store that nothing is read from. */
export const emptyStore = {
  get: () => Promise.reject(new Error('nothing is stored')),
  put: () => Promise.resolve(stored),
};

/** The error that work ends with, or null. */
export const caught = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => null,
    (error: unknown) => error,
  );

/** What the request says in a role, first of all. */
export const saidBy = (role: string, { messages }: ModelRequest): string =>
  messages.find((message) => message.role === role)?.content ?? '';

type Replays = readonly Replay[] | ((request: ModelRequest, call: number) => Replay);
type SubjectOptions = Partial<HarnessModel> & { ledger?: MemoryModelCalls };

/** What every part of the suite works with. */
export function modelSubjects(definition: AnyAnalysis, { text }: Pick<ModelFixtures, 'text'>) {
  return {
    /** The analysis, over a model that replies so. */
    subjectOf: (replay: Replays, options: SubjectOptions = {}) => {
      const model = createReplayingModel(replay);
      const { ledger = createMemoryModelCalls(model), ...choice } = options;
      const harness = createHarness(definition, { store: emptyStore, model: { calls: ledger, ...choice } });
      return { model, calls: ledger, ...harness };
    },
    always: (reply: Partial<ModelReply>) => () => replyOf(reply),
    record: (document: Partial<DocumentIngestedInput> = {}) => ingestedRecord({ text, ...document }),
    words: text.split(/\s+/).filter((word) => word !== ''),
    // Every piece another text: equal ones are one question.
    longText: splitSentences(text.replace(/\s*$/, '\n\n').repeat(5))
      .map(({ text: sentence }, index) => `${index + 1}) ${sentence}`)
      .join('\n\n'),
  };
}
