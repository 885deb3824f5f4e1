import type { AnalysisFinishedInput, DocumentIngested, OutcomeInput } from '@anabranch/contracts';
import { failureCodes, isFailure, Refused } from '@anabranch/failures';
import { isBlank } from '@anabranch/text';
import type { Analysed, AnalysedDocument, AnyAnalysis } from './define-analysis.js';
import { languageOf, requireLanguage } from './document-language.js';
import type { RawText } from './load-text.js';
import type { AskOptions } from './model/model-calls.js';
import type { ModelAnswerer } from './model/model-engine.js';
import { finishedEvent, wholeText } from './outcome.js';
import { prepareDocument } from './prepare-document.js';
import { checkOutcome, packResult } from './result.js';
import type { RulesInForce, RulesRefusal } from './rules/tenant-rules.js';

/** One document to analyse. All but the signal can be sent to another thread. */
export interface AnalysisTask {
  /** As `completeIngested` returned it; its text is not looked at. */
  event: DocumentIngested;
  run: number;
  raw: RawText;
  /** What the text reads as. */
  detectedLanguage: string | null;
  /** The analysis' own settings. */
  config: object;
  /** The tenant's rules; null when the analysis declares none. */
  rules: RulesInForce | RulesRefusal | null;
}

/** What came of a document. */
export interface AnalysedOutcome {
  /** Checked against its schema, and without its result when that is too large for an event. */
  event: AnalysisFinishedInput;
  /** That result, as JSON; null when the event has it. */
  content: Uint8Array | null;
  /** How long the engine took; null when it was not asked. */
  seconds: number | null;
}

/** Time is a parameter: epoch milliseconds. */
export interface AnalysisRun {
  definition: AnyAnalysis;
  signal: AbortSignal;
  now(): number;
  /** Who answers in place of the engine, about this one document. */
  model?: { answerer: ModelAnswerer; park: AskOptions['park']; attempt: number };
}

/**
 * Analyses a document and returns its outcome, done or refused. The same on every thread: it reads and writes nothing.
 * @throws PoisonMessage TEXT_TOO_LARGE, CONTENT_MISMATCH, RESULT_TOO_LARGE, or HANDLER_FAILED for a result that breaks
 *   its schema; a bug of the engine, without its message; the signal's reason
 */
export async function analyseDocument(run: AnalysisRun, task: AnalysisTask): Promise<AnalysedOutcome> {
  const { definition, signal, now, model } = run;
  const { event, run: number, raw, detectedLanguage } = task;
  const { language, warnings } = languageOf(event.language, detectedLanguage);
  const { maxCharacters } = definition;
  const document = await prepareDocument(event, { raw, language, maxCharacters, signal });
  const startedAt = performance.now();
  const seconds = (): number => (performance.now() - startedAt) / 1_000;
  const finished = (outcome: OutcomeInput): AnalysisFinishedInput => {
    const { textSha256 } = document;
    const maker = { name: definition.name, engine: model?.answerer.engine() ?? definition.engine };
    return finishedEvent({ definition: maker, event, run: number, language, textSha256, occurredAt: now(), outcome });
  };
  try {
    if (isBlank(document.text)) throw new Refused('NO_CONTENT', failureCodes.NO_CONTENT.text);
    if (model === undefined) requireLanguage(language, definition.languages);
    const analysed = await analyse(run, document, task);
    const { result, coverage = wholeText(document.offsets.length), usage } = analysed;
    const done = { coverage, usage, warnings: [...warnings, ...(analysed.warnings ?? [])] };
    const checked = checkOutcome(definition.name, { ...finished({ status: 'DONE', result }), ...done });
    return { ...packResult(definition.name, checked), seconds: seconds() };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const { code, message, provider } = error;
    const refused = finished({ status: 'REFUSED', refusal: { code, message, provider } });
    return { event: { ...refused, warnings, usage: model?.answerer.usage() }, content: null, seconds: null };
  }
}

async function analyse(run: AnalysisRun, document: AnalysedDocument, task: AnalysisTask): Promise<Analysed<unknown>> {
  const { definition, signal, model } = run;
  const { config } = task;
  const rules = rulesOf(task);
  try {
    if (model !== undefined) {
      return await model.answerer.analyse(document, {
        config,
        rules,
        signal,
        park: model.park,
        attempt: model.attempt,
      });
    }
    return await definition.analyse(document, { config: config as never, rules: rules as never, signal });
  } catch (error) {
    throw isFailure(error) || signal.aborted ? error : withoutMessage(definition.name, error);
  }
}

function rulesOf({ rules }: AnalysisTask): RulesInForce['rules'] {
  if (rules === null) return null;
  if ('rules' in rules) return rules.rules;
  throw new Refused(rules.refusal.code, rules.refusal.message);
}

/** A bug of the engine or prompt, with its stack. Its message may quote the document, and would reach the log, so it goes. */
function withoutMessage(analysis: string, error: unknown): Error {
  const { name = 'value', stack = '' } = error instanceof Error ? error : {};
  const bug = new Error(
    `The analysis ${analysis} threw a ${name}; its message is left out, it may quote the document.`,
  );
  const frames = stack.split('\n').filter((line) => line.trimStart().startsWith('at '));
  bug.stack = [`${bug.name}: ${bug.message}`, ...frames].join('\n');
  return bug;
}
