import {
  completeIngested,
  completeRequested,
  type AnalysisRequested,
  type DocumentIngested,
} from '@anabranch/contracts';
import type { DeferredRun } from '@anabranch/database/jobs';
import { PoisonMessage } from '@anabranch/failures';
import type { Deferral, IncomingRecord, SettledFailure } from '@anabranch/kafka';
import type { ObjectStore } from '@anabranch/object-store';
import { detectLanguage, languageWindows } from '@anabranch/text';
import { ByteBudget } from './byte-budget.js';
import { checkIn } from './check-in.js';
import type { AnyAnalysis } from './define-analysis.js';
import {
  type AnalyserPorts,
  createDocumentAnalyser,
  longTextLength,
  type Run,
  type RunContext,
} from './document-analyser.js';
import { languageOf } from './document-language.js';
import { loadText } from './load-text.js';
import type { AnalysisMetrics } from './metrics.js';
import { modelRunOf } from './model/model-bill.js';
import { finishedEvent, firstRun } from './outcome.js';
import { createOutcomePublisher, type PublisherPorts } from './outcome-publisher.js';
import { knownTextSha256 } from './prepare-document.js';
import { rulesFor } from './rules/rules-for.js';
import type { RulesPort } from './rules/tenant-rules.js';

export interface AnalysisPorts extends PublisherPorts, AnalyserPorts {
  store: Pick<ObjectStore, 'get' | 'put'>;
  metrics: AnalysisMetrics;
  /** Finds tenants' rules; null for an analysis that declares none. */
  rules: RulesPort | null;
  /** Keeps a run until its wait is over; false for one that was kept for too long. Null for an analysis that waits for nobody. */
  defer: ((run: DeferredRun) => Promise<boolean>) | null;
}

type Ingested = IncomingRecord<DocumentIngested>;
type Requested = IncomingRecord<AnalysisRequested>;
/** A record that was settled without an outcome; without an event when it cannot be decoded. */
type SettledRecord = Omit<Ingested, 'event'> & { readonly event?: unknown };

/** What the runtime does for every analysis, around `analyse`. */
export interface AnalysisHandler {
  /** Reads, analyses, checks and publishes; resolves when the outcome is acknowledged. */
  onDocumentIngested(record: Ingested, context: RunContext): Promise<void>;
  /** The same for a document that was asked for again: a re-run goes by the newest rules, one that was deferred by its own. */
  onRunRequested(record: Requested, context: RunContext): Promise<void>;
  /** After the dead letter of a record: publishes that the analysis failed, so that nobody waits for ever. */
  onSettled(record: SettledRecord, failure: SettledFailure): Promise<void>;
  /**
   * Instead of a long wait: keeps the run, by what it waits for; the record is done.
   * @throws PoisonMessage RETRIES_EXHAUSTED for one that was kept for too long
   */
  onDeferred(record: SettledRecord, deferral: Deferral): Promise<void>;
}

/** Of the long texts that are worked at a time, before decoding; each takes several times that while it is analysed. */
const maxHeldBytes = 16_777_216;

/** One handler per service. `config` is what the analysis' own schema made of the environment. */
export function createAnalysisHandler(definition: AnyAnalysis, config: object, ports: AnalysisPorts): AnalysisHandler {
  const { store, metrics, model, now } = ports;
  const { name } = definition;
  const { maxCharacters, analyse } = createDocumentAnalyser(definition, ports);
  const publish = createOutcomePublisher(name, ports);
  const isWanted = ({ requestedAnalyses }: DocumentIngested): boolean =>
    requestedAnalyses.length === 0 || requestedAnalyses.includes(name);

  const work = async (record: Ingested | Requested, asked: Run, context: RunContext): Promise<void> => {
    const { event, run, askedAt } = asked;
    const rules = await rulesFor(ports.rules, event, askedAt);
    const raw = await loadText(event, { store, maxCharacters });
    context.signal.throwIfAborted();
    const detectedLanguage = await detectLanguage(languageWindows(raw));
    const task = { event: { ...event, text: null }, run, raw, detectedLanguage, config, rules };
    const outcome = await analyse(task, asked, context);
    if (outcome.seconds !== null) metrics.took(outcome.seconds);
    await publish(record, await checkIn(name, outcome, store));
  };
  const budget = new ByteBudget(maxHeldBytes);
  const perform = async (record: Ingested | Requested, run: Run, context: RunContext): Promise<void> => {
    const { signal, park } = context;
    const bytes = run.event.textRef?.bytes ?? run.event.text?.length ?? 0;
    if (bytes <= longTextLength) return work(record, run, context);
    // Long documents wait for each other without a slot, so that short ones pass them.
    await park(budget.hold(bytes, signal, () => work(record, run, context)));
  };

  return {
    async onDocumentIngested(record, context) {
      const event = completeIngested(record.event, record);
      if (isWanted(event))
        await perform(record, { event, run: firstRun, isFresh: false, askedAt: record.timestamp }, context);
    },

    async onRunRequested(record, context) {
      const { document: event, run, isFresh, askedAt } = completeRequested(record.event, record);
      await perform(record, { event, run, isFresh, askedAt }, context);
    },

    async onSettled(record, { code, message, attempts, error }) {
      const identified = identify(record);
      if (identified === null || !isWanted(identified.event)) return;
      const { event, run } = identified;
      const outcome = { status: 'FAILED' as const, failure: { code, message, attempts } };
      const { language } = languageOf(event.language, null);
      const textSha256 = knownTextSha256(event);
      const asked = modelRunOf(error, { jobId: event.jobId, run });
      const maker = { name, engine: asked?.engine ?? model?.engine ?? definition.engine };
      const facts = { definition: maker, event, run, language, textSha256, occurredAt: now(), outcome };
      await publish(record, { ...finishedEvent(facts), usage: asked?.usage });
    },

    async onDeferred(record, deferral) {
      const identified = identify(record);
      if (identified === null || ports.defer === null) throw new Error('This run cannot be deferred.');
      if (!(await ports.defer(deferredRun(name, identified, deferral)))) throw givenUp(deferral);
    },
  };
}

type Identified = Pick<Run, 'event' | 'run' | 'askedAt'>;

function givenUp({ message, error }: Deferral): PoisonMessage {
  const why = `Given up, because it was put off for longer than a model is waited for: ${message}`;
  return new PoisonMessage('RETRIES_EXHAUSTED', why, { cause: error });
}

function deferredRun(
  analysis: string,
  { event, run, askedAt }: Identified,
  { code: reason, error, waitMs }: Deferral,
): DeferredRun {
  const { jobId, tenantId, documentId } = event;
  const asked = modelRunOf(error, { jobId, run });
  const dependency = asked === null ? analysis : `${asked.engine.name} ${asked.engine.model}`;
  return { jobId, analysis, run, tenantId, documentId, reason, dependency, askedAt, waitMs };
}

/**
 * The event of a settled record, or null when it cannot be read or does not say truthfully whose it is: an outcome for
 * it would land on the job of another document, so the dead letter is its terminal place.
 */
function identify(record: SettledRecord): Identified | null {
  const { event } = record;
  if (event === undefined || event === null) return null;
  try {
    if (!isCommand(event)) {
      return { event: completeIngested(event as DocumentIngested, record), run: firstRun, askedAt: record.timestamp };
    }
    const { document, run, askedAt } = completeRequested(event, record);
    return { event: document, run, askedAt };
  } catch (error) {
    if (error instanceof PoisonMessage) return null;
    throw error;
  }
}

/** An event of the topic of commands: only these carry a run. */
const isCommand = (event: object): event is AnalysisRequested => 'run' in event;
