import { completeIngested, completeRequested, type AnalysisRequested, type DocumentIngested } from '@anabranch/contracts';
import { PoisonMessage } from '@anabranch/failures';
import type { HandlerContext, IncomingRecord, SettledFailure } from '@anabranch/kafka';
import type { ObjectStore } from '@anabranch/object-store';
import { languageWindows } from '@anabranch/text';
import { detectLanguage } from '@anabranch/text/language';
import { analyseDocument, type AnalysedOutcome, type AnalysisTask } from './analyse-document.js';
import { ByteBudget } from './byte-budget.js';
import { checkIn } from './check-in.js';
import type { AnyAnalysis } from './define-analysis.js';
import { languageOf } from './document-language.js';
import { loadText } from './load-text.js';
import type { AnalysisMetrics } from './metrics.js';
import { finishedEvent, firstRun } from './outcome.js';
import { createOutcomePublisher, type PublisherPorts } from './outcome-publisher.js';
import { knownTextSha256 } from './prepare-document.js';
import { rulesFor } from './rules/rules-for.js';
import type { RulesPort } from './rules/tenant-rules.js';
import type { AnalysisWorker } from './worker/analysis-worker.js';

export interface AnalysisPorts extends PublisherPorts {
  store: Pick<ObjectStore, 'get' | 'put'>;
  metrics: AnalysisMetrics;
  /** Finds tenants' rules; null for an analysis that declares none. */
  rules: RulesPort | null;
  /** For long documents. */
  worker: Pick<AnalysisWorker, 'run'>;
  /** Epoch milliseconds. */
  now(): number;
}

type Ingested = IncomingRecord<DocumentIngested>;
type Requested = IncomingRecord<AnalysisRequested>;
/** A record that was settled without an outcome; without an event when it cannot be decoded. */
type SettledRecord = Omit<Ingested, 'event'> & { readonly event?: unknown };

/** One run of the analysis over one document. */
interface Run {
  readonly event: DocumentIngested;
  readonly run: number;
}

type RunContext = Pick<HandlerContext, 'signal' | 'park'>;

/** What the runtime does for every analysis, around `analyse`. */
export interface AnalysisHandler {
  /** Reads, analyses, checks and publishes; resolves when the outcome is acknowledged. */
  onDocumentIngested(record: Ingested, context: RunContext): Promise<void>;
  /** The same for a document that was asked for again: a re-run goes by the newest rules. */
  onRunRequested(record: Requested, context: RunContext): Promise<void>;
  /** After the dead letter of a record: publishes that the analysis failed, so that nobody waits for ever. */
  onSettled(record: SettledRecord, failure: SettledFailure): Promise<void>;
}

/** Texts above this length, in bytes or UTF-16 units, are analysed in the worker thread. */
export const longTextLength = 131_072;

/** Of the long texts that are worked at a time, before decoding; each takes several times that while it is analysed. */
const maxHeldBytes = 16_777_216;

/** One handler per service. `config` is what the analysis' own schema made of the environment. */
export function createAnalysisHandler(definition: AnyAnalysis, config: object, ports: AnalysisPorts): AnalysisHandler {
  const { store, metrics, worker, now } = ports;
  const { name, maxCharacters, module } = definition;
  const publish = createOutcomePublisher(name, ports);
  const isWanted = ({ requestedAnalyses }: DocumentIngested): boolean =>
    requestedAnalyses.length === 0 || requestedAnalyses.includes(name);

  const analyse = async (task: AnalysisTask, signal: AbortSignal): Promise<AnalysedOutcome> => {
    if (module === undefined || task.raw.length <= longTextLength) {
      return analyseDocument({ definition, signal, now }, task);
    }
    const { event, ...outcome } = await worker.run({ ...task, module, name, maxCharacters }, signal);
    return { ...outcome, event: { ...event, occurredAt: now() } };
  };

  const work = async (record: Ingested | Requested, { event, run }: Run, signal: AbortSignal): Promise<void> => {
    const rules = await rulesFor(ports.rules, event, record.timestamp);
    const raw = await loadText(event, { store, maxCharacters });
    signal.throwIfAborted();
    const detectedLanguage = detectLanguage(languageWindows(raw));
    const task = { event: { ...event, text: null }, run, raw, detectedLanguage, config, rules };
    const outcome = await analyse(task, signal);
    if (outcome.seconds !== null) metrics.took(outcome.seconds);
    await publish(record, await checkIn(name, outcome, store));
  };
  const budget = new ByteBudget(maxHeldBytes);
  const perform = async (record: Ingested | Requested, run: Run, { signal, park }: RunContext): Promise<void> => {
    const bytes = run.event.textRef?.bytes ?? run.event.text?.length ?? 0;
    if (bytes <= longTextLength) return work(record, run, signal);
    // Long documents wait for each other without a slot, so that short ones pass them.
    await park(budget.hold(bytes, signal, () => work(record, run, signal)));
  };

  return {
    async onDocumentIngested(record, context) {
      const event = completeIngested(record.event, record);
      if (isWanted(event)) await perform(record, { event, run: firstRun }, context);
    },

    async onRunRequested(record, context) {
      const { document: event, run } = completeRequested(record.event, record);
      await perform(record, { event, run }, context);
    },

    async onSettled(record, { code, message, attempts }) {
      const identified = identify(record);
      if (identified === null || !isWanted(identified.event)) return;
      const { event, run } = identified;
      const outcome = { status: 'FAILED' as const, failure: { code, message, attempts } };
      const { language } = languageOf(event.language, null);
      const textSha256 = knownTextSha256(event);
      await publish(record, finishedEvent({ definition, event, run, language, textSha256, occurredAt: now(), outcome }));
    },
  };
}

/**
 * The event of a settled record, or null when it cannot be read or does not say truthfully whose it is: an outcome for
 * it would land on the job of another document, so the dead letter is its terminal place.
 */
function identify(record: SettledRecord): Run | null {
  const { event } = record;
  if (event === undefined || event === null) return null;
  try {
    if (!isCommand(event)) return { event: completeIngested(event as DocumentIngested, record), run: firstRun };
    const { document, run } = completeRequested(event, record);
    return { event: document, run };
  } catch (error) {
    if (error instanceof PoisonMessage) return null;
    throw error;
  }
}

/** An event of the topic of commands: only these carry a run. */
const isCommand = (event: object): event is AnalysisRequested => 'run' in event;
