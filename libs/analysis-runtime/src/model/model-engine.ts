import type { EngineInput, UsageInput } from '@anabranch/contracts';
import { expectedPurchase, PinnedOtherwise } from '@anabranch/database/ledger';
import type { Analysed, AnalysedDocument, AnyAnalysis } from '../define-analysis.js';
import type { RulesInForce } from '../rules/tenant-rules.js';
import type { Reading } from './ask-question.js';
import { createModelBill, noteModelRun } from './model-bill.js';
import type { AskOptions, ModelCalls, ModelChoice, ModelPin, ModelWork } from './model-calls.js';
import type { AnyPrompt } from './model-prompt.js';
import { outlastOutage } from './outlast-outage.js';
import { runPrompt } from './run-prompt.js';

/** Raised with a change of what all prompts share: fence, standing rules, repair. */
const engineVersion = '1';

export interface ModelEngineOptions {
  definition: Pick<AnyAnalysis, 'name' | 'languageModel'>;
  calls: ModelCalls;
  /** What is configured; a run that began under another keeps that. */
  choice: Omit<ModelChoice, 'promptVersion'>;
  /** Longest text that is asked about, in code points. */
  maxCharacters: number;
  onReading(reading: Reading): void;
  /** Told when a run is pinned to a version of the prompt that there is no more; it goes on with the newest. */
  onUnknownPrompt(work: ModelWork, version: string): void;
}

/** One document in the hands of a model. */
export interface ModelAnswerer {
  /** Who answers: as configured, until the run is pinned. */
  engine(): EngineInput;
  /** @throws what `runPrompt` throws, with `modelRunOf(error, work)` */
  analyse(document: AnalysedDocument, context: AnswerContext): Promise<Analysed<unknown>>;
  /** What it cost so far; undefined when nothing. */
  usage(): UsageInput | undefined;
}

export interface AnswerContext extends Pick<AskOptions, 'signal' | 'park'> {
  /** Which try of the record this is, from 1. */
  attempt: number;
  config: object;
  rules: RulesInForce['rules'];
}

/** The engine of an analysis that asks a model. */
export interface ModelEngine {
  /** As configured. */
  readonly engine: EngineInput;
  readonly maxCharacters: number;
  answererOf(work: ModelWork): ModelAnswerer;
}

/** @throws Error when the analysis declares no prompts: a mistake of wiring */
export function createModelEngine(options: ModelEngineOptions): ModelEngine {
  const { definition, calls, maxCharacters, onReading, onUnknownPrompt } = options;
  const prompts: readonly AnyPrompt[] = definition.languageModel?.prompts ?? [];
  const [newest] = prompts;
  if (newest === undefined) throw new Error(`The analysis ${definition.name} declares no prompt for a language model.`);

  const configured: ModelChoice = { ...options.choice, promptVersion: newest.version };

  return {
    engine: engineOf(configured),
    maxCharacters,
    answererOf(work) {
      const bill = createModelBill();
      let choice = configured;

      const promptOf = ({ promptVersion }: ModelChoice): AnyPrompt => {
        const prompt = prompts.find(({ version }) => version === promptVersion);
        if (prompt === undefined) onUnknownPrompt(work, promptVersion);
        return prompt ?? newest;
      };

      const answerBy = async (pin: ModelPin, document: AnalysedDocument, context: AnswerContext) => {
        const { config, rules, signal, park } = context;
        const prompt = promptOf(pin.choice);
        choice = { ...pin.choice, promptVersion: prompt.version };
        const given = { config, rules, chunkCharacters: choice.chunkCharacters } as never;
        const asking = { calls, choice, options: { work, pin, signal, park }, bill, onReading };
        return runPrompt(prompt.answer(document, given), asking);
      };

      /** As configured, unless the run began otherwise, or one before it bought anew: the first call tells. */
      const answer = async (document: AnalysedDocument, context: AnswerContext) => {
        try {
          return await answerBy({ choice: configured, purchase: expectedPurchase(work) }, document, context);
        } catch (error) {
          if (!(error instanceof PinnedOtherwise)) throw error;
          // A pin stays as it is, so that this is not answered with another one.
          return answerBy(error.pin as ModelPin, document, context);
        }
      };

      return {
        engine: () => engineOf(choice),
        usage: () => bill.usage(),
        async analyse(document, context) {
          const startedAt = performance.now();
          try {
            const analysed = await answer(document, context);
            const warnings = [...(analysed.warnings ?? []), ...bill.warnings()];
            return { ...analysed, warnings, usage: bill.usage() };
          } catch (error) {
            const failure = outlastOutage(error, { attempt: context.attempt, tookMs: performance.now() - startedAt });
            noteModelRun(failure, work, { engine: engineOf(choice), usage: bill.usage() });
            throw failure;
          }
        },
      };
    },
  };
}

const engineOf = ({ provider, model, promptVersion }: ModelChoice): EngineInput => {
  return { kind: 'MODEL', name: provider, version: engineVersion, model, promptVersion };
};
