import type { ReplySchema } from '@anabranch/language-model';
import type { z } from 'zod';
import type { Analysed, AnalysedDocument, AnalysisName, ResultInputOf } from '../define-analysis.js';
import type { RulesKind, TenantRules } from '../rules/tenant-rules.js';

/** One thing to ask a model. The runtime makes the request of it, asks, and has a bad reply repaired once. */
export interface Question<T = unknown> {
  /**
   * What to do, with everything that is the same for many documents (a taxonomy): it goes first, so that providers can keep
   * it cached. How the document is fenced, and the form of the reply, are added.
   */
  readonly instructions: string;
  /** Text of the document, or made of it: untrusted, it is fenced as data. */
  readonly text: string;
  readonly schema: ReplySchema;
  /** Room for the reply; a reply that is cut gets more, once. */
  readonly maxOutputTokens: number;
  /** Reads the reply, already JSON. @throws BadOutput */
  read(value: unknown): T;
}

/**
 * What an analysis asks, step by step: it yields questions, which are asked side by side, and gets what was read, in
 * order; it yields nothing to let others have a turn, as engines do. A pure function of document and replies: the same
 * replies, the same next questions, so that a run can be taken up again from stored answers. The first question pins the
 * run; steps that ask none end by what is configured.
 */
// oxlint-disable-next-line typescript/no-invalid-void-type -- engines yield nothing, and steps may delegate to them
export type ModelSteps<T> = Generator<readonly Question[] | void, T, readonly unknown[]>;

/** Asks one question. */
export function* ask<T>(question: Question<T>): ModelSteps<T> {
  const [answer] = yield [question];
  return answer as T;
}

/** Asks several questions side by side; answers come in the order of the questions. */
export function* askAll<T>(questions: readonly Question<T>[]): ModelSteps<T[]> {
  const answers = yield questions;
  return [...answers] as T[];
}

/** What a prompt knows besides the document. */
export interface PromptContext<C, K extends RulesKind = never> {
  readonly config: C;
  readonly rules: TenantRules[K] | null;
  /** Most characters of a document in one question, in UTF-16 units. */
  readonly chunkCharacters: number;
}

/** One version of the way in which an analysis asks a model. */
export interface ModelPrompt<
  N extends AnalysisName = AnalysisName,
  S extends z.ZodRawShape = z.ZodRawShape,
  K extends RulesKind = RulesKind,
> {
  /** Part of every result. Another text, schema or way to combine is another version. */
  readonly version: string;
  answer(
    document: AnalysedDocument,
    context: PromptContext<z.infer<z.ZodObject<S>>, K>,
  ): ModelSteps<Analysed<ResultInputOf<N>>>;
}

/** Any prompt, for code that names no analysis. */
export interface AnyPrompt {
  readonly version: string;
  answer(document: AnalysedDocument, context: PromptContext<never>): ModelSteps<Analysed<unknown>>;
}

/** How an analysis works with a language model. */
export interface LanguageModelUse<P = AnyPrompt> {
  /**
   * Newest first. A run keeps the version that it began with, so an older one stays in the list for as long as runs of it
   * may come again: the retention of `document.ingested`.
   */
  readonly prompts: readonly [P, ...P[]];
}
