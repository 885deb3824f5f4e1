import type { Database } from '@anabranch/database';
import type { DatabaseConfig, LedgerConfig } from '@anabranch/database/config';
import type { DeferredRun } from '@anabranch/database/jobs';
import type { Ledger } from '@anabranch/database/ledger';
import { createOpenAiCompatibleModel, type ModelConfig, type ModelPort } from '@anabranch/language-model';
import { closeOrder, type ServiceContext } from '@anabranch/service-host';
import { Counter } from 'prom-client';
import type { AnyAnalysis } from '../define-analysis.js';
import type { AnalysisMetrics } from '../metrics.js';
import { createLedgeredCalls } from './ledgered-calls.js';
import { createModelEngine, type ModelEngine } from './model-engine.js';
import { choiceFrom, usesModel } from './model-settings.js';

/** An analysis that is switched to a model: who answers, and where runs are kept that wait for it. */
export interface OpenedModel {
  readonly engine: ModelEngine;
  /** Handlers wait for the model rather than compute: so many at a time. */
  readonly maxInFlight: number;
  /**
   * Keeps a run, unless it was released in vain for longer than ANABRANCH_MODEL_PATIENCE_MS: then false.
   * @throws DependencyUnavailable
   */
  defer(run: DeferredRun): Promise<boolean>;
}

type ModelSettings = ModelConfig & LedgerConfig & DatabaseConfig;

// Claims, answers and looks take one connection each, beats and deferrals another.
const maxConnections = 5;

/** The model of an analysis, behind the ledger; null while it is not switched to one: then nothing is even loaded. */
export async function openModel(
  definition: AnyAnalysis,
  context: ServiceContext<object>,
  metrics: Pick<AnalysisMetrics, 'replied'>,
): Promise<OpenedModel | null> {
  if (!usesModel(definition, context.config)) return null;
  const settings = context.config as ModelSettings;
  const { deferRun } = await import('@anabranch/database/jobs');
  const db = await openDatabase(definition, context);
  const ledger = await openLedger(db, definition, context);
  const engine = createModelEngine({
    definition,
    calls: createLedgeredCalls(ledger, modelFrom(settings, context)),
    choice: choiceFrom(definition, settings),
    maxCharacters: settings.modelMaxCharacters,
    onReading: (reading) => metrics.replied(reading),
    onUnknownPrompt: ({ jobId, run }, promptVersion) =>
      context.log.warn({ jobId, run, promptVersion }, 'the prompt that a run began with is there no more'),
  });
  return {
    engine,
    maxInFlight: settings.modelMaxInFlight,
    defer: (run) => deferRun(db, run, settings.modelPatienceMs),
  };
}

async function openDatabase({ name }: AnyAnalysis, context: ServiceContext<object>): Promise<Database> {
  const { createDatabase } = await import('@anabranch/database');
  const settings = context.config as ModelSettings;
  const postgresPoolSize = Math.min(settings.postgresPoolSize, maxConnections);
  const { signal, log } = context;
  const db = await createDatabase({ ...settings, postgresPoolSize }, { name: `anabranch ${name}`, signal, log });
  context.onClose(() => db.close(), { order: closeOrder.stores, name: 'ledger’s database' });
  return db;
}

async function openLedger(db: Database, { name }: AnyAnalysis, context: ServiceContext<object>): Promise<Ledger> {
  const { createLedger, listenForAnswers, openLedgerStore } = await import('@anabranch/database/ledger');
  const { ledgerLeaseMs: leaseMs, ledgerOnUnknownOutcome: onUnknownOutcome } = context.config as ModelSettings;
  const claims = new Counter({
    name: 'anabranch_ledger_claims_total',
    help: 'Claims of calls to models, by analysis and how the ledger answered.',
    labelNames: ['analysis', 'answer'],
    registers: [context.metrics],
  });
  const ledger = createLedger({
    store: await openLedgerStore(db, `${name}-${context.instance}`),
    leaseMs,
    onUnknownOutcome,
    now: () => performance.now(),
    log: context.log,
    onClaim: (answer) => claims.inc({ analysis: name, answer }),
  });
  const listener = listenForAnswers(db, (key) => ledger.onAnswered(key));
  // After the drain: a call outlives the handler that made it, for as long as somebody may want its answer.
  const close = async (): Promise<void> => {
    await ledger.stop();
    await listener.stop();
  };
  context.onClose(close, { order: closeOrder.relays, name: 'ledger' });
  return ledger;
}

function modelFrom(settings: ModelConfig, { log }: ServiceContext<object>): ModelPort {
  const { modelBaseUrl = '', modelApiKey, modelTimeoutMs: timeoutMs, modelOutputLimitField } = settings;
  const key = modelApiKey === undefined ? {} : { apiKey: modelApiKey };
  return createOpenAiCompatibleModel({
    baseUrl: modelBaseUrl,
    timeoutMs,
    outputLimitField: modelOutputLimitField,
    log,
    ...key,
  });
}
