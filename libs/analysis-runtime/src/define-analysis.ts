import type { CoverageInput, EngineInput, InputOf, ResultOf, UsageInput } from '@anabranch/contracts';
import type { Offsets } from '@anabranch/text';
import { z } from 'zod';
import type { AnyPrompt, LanguageModelUse, ModelPrompt } from './model/model-prompt.js';
import type { RulesKind, TenantRules } from './rules/tenant-rules.js';

/** The analyses that have a schema. */
export type AnalysisName = keyof ResultOf;

/** An analysis' result as its engine fills it: what has a default in the schema may be left out. */
export type ResultInputOf<N extends AnalysisName> = NonNullable<
  NonNullable<InputOf[`analysis.${N}.finished`]['outcome']>['result']
>;

/** A document as an analysis sees it. The text is cleaned, not blank, and within the analysis' limit. */
export interface AnalysedDocument {
  readonly tenantId: string;
  readonly documentId: string;
  readonly revision: number;
  readonly jobId: string;
  readonly text: string;
  /** SHA-256 of the cleaned text: what offsets are valid for. */
  readonly textSha256: string;
  /** UTF-16 indexes to code points and back; `offsets.length` is the text's length in code points. */
  readonly offsets: Offsets;
  /** BCP 47 tag of what the text reads as, or else of what the producer says; null when neither is known. */
  readonly language: string | null;
  readonly mediaType: string;
  readonly metadata: Readonly<Record<string, string>>;
}

/** `C` are the analysis' settings, `K` is the kind of rules that it declares. */
export interface AnalyseContext<C, K extends RulesKind = never> {
  readonly config: C;
  /** Rules of the document's tenant, the same object for the same version; null when it has none. */
  readonly rules: TenantRules[K] | null;
  /** Aborted when the work is no longer wanted here: the analysis rejects soon, with the signal's reason. */
  readonly signal: AbortSignal;
}

/** What an analysis found, and what a reader should know about it. */
export interface Analysed<R> {
  result: R;
  /** Unless given: all of the text was read. */
  coverage?: CoverageInput;
  warnings?: string[];
  usage?: UsageInput;
}

/** One analysis: everything that differs between two of them. The runtime does the rest. */
export interface AnalysisDefinition<
  N extends AnalysisName = AnalysisName,
  S extends z.ZodRawShape = z.ZodRawShape,
  K extends RulesKind = RulesKind,
> {
  readonly name: N;
  readonly engine: EngineInput;
  /** Own settings; empty unless given. */
  readonly config: z.ZodObject<S>;
  /** Longest text that is read, in code points; a longer one is the failure TEXT_TOO_LARGE. */
  readonly maxCharacters: number;
  /** Languages that it knows (BCP 47, two or three letters): documents in others are refused. Empty: it knows all. */
  readonly languages: readonly string[];
  /** What of its tenants' own rules it applies; they are in the context. Such an analysis reads Postgres. */
  readonly rules?: K;
  /**
   * The module that exports the definition (`import.meta.url`): long documents are analysed in a worker thread, which
   * loads it by that. So the module loads its engine, and nothing of the service. Without it, all is done on the main
   * thread.
   */
  readonly module?: string;
  /** How it works with a language model in place of its engine; without it, it cannot. A model knows all languages. */
  readonly languageModel?: LanguageModelUse<ModelPrompt<N, S, K>>;
  /**
   * A function of its arguments: no Kafka, no store, no environment. The same document gives the same result.
   * Throws `Refused` for a business reason.
   */
  analyse(
    document: AnalysedDocument,
    context: AnalyseContext<z.infer<z.ZodObject<S>>, K>,
  ): Promise<Analysed<ResultInputOf<N>>>;
}

/** Any analysis, for code that names none. */
export interface AnyAnalysis extends Omit<AnalysisDefinition, 'config' | 'analyse' | 'languageModel'> {
  readonly config: z.ZodObject;
  readonly languageModel?: LanguageModelUse<AnyPrompt>;
  // A method, so that a definition with a narrower config fits: the runtime gives each one its own.
  analyse(document: AnalysedDocument, context: AnalyseContext<never>): Promise<Analysed<unknown>>;
}

const defaultMaxCharacters = 10_000_000;

type WithDefault = 'config' | 'maxCharacters' | 'languages';

/** Declares an analysis. Defaults: no config, 10 million code points, all languages, no rules of tenants. */
export function defineAnalysis<
  N extends AnalysisName,
  S extends z.ZodRawShape = Record<never, never>,
  K extends RulesKind = never,
>(
  definition: Omit<AnalysisDefinition<N, S, K>, WithDefault> & Partial<Pick<AnalysisDefinition<N, S, K>, WithDefault>>,
): AnalysisDefinition<N, S, K> {
  const config = z.object({}) as unknown as z.ZodObject<S>;
  return { maxCharacters: defaultMaxCharacters, languages: [], config, ...definition };
}
