import { randomUUID } from 'node:crypto';
import {
  type AnalysisFinishedInput,
  type DocumentIngested,
  type DocumentIngestedInput,
  fillDefaults,
} from '@anabranch/contracts';
import type { DeferredRun } from '@anabranch/database/jobs';
import type { RulesReader } from '@anabranch/database/rules';
import { describeFailure, RetryLater } from '@anabranch/failures';
import type { IncomingRecord, SettledFailure } from '@anabranch/kafka';
import type { Logger } from '@anabranch/service-host';
import { Registry } from 'prom-client';
import { type AnalysisPorts, createAnalysisHandler } from '../analysis-handler.js';
import type { AnyAnalysis } from '../define-analysis.js';
import { type AnalysisMetrics, createAnalysisMetrics } from '../metrics.js';
import type { ModelCalls, ModelChoice } from '../model/model-calls.js';
import { createModelEngine, type ModelEngine } from '../model/model-engine.js';
import { createRulesInForce } from '../rules/rules-in-force.js';
import type { AnalysisWorker } from '../worker/analysis-worker.js';
import { createMemoryRulesReader } from './memory-rules-reader.js';
import { createTestWorker } from './test-worker.js';

/** What was published. */
export interface Published {
  topic: string;
  event: AnalysisFinishedInput;
  headers: Readonly<Record<string, string>>;
}

/** An analysis in its runtime, with Kafka in memory. */
export interface AnalysisHarness {
  readonly published: Published[];
  readonly logged: string[];
  /** What the handler waited for without a slot. */
  readonly parked: readonly Promise<unknown>[];
  /** Runs that are kept until a long wait is over. */
  readonly deferred: readonly DeferredRun[];
  readonly metrics: Registry;
  /** Handles a document as the consumer would; rejects with what the handler throws. */
  handle(record: IncomingRecord<DocumentIngested>, signal?: AbortSignal): Promise<void>;
  /** Handles a command that asks for another run over the document of a record. */
  rerun(
    record: IncomingRecord<DocumentIngested>,
    command: { run: number; fresh?: boolean; askedAt?: number | undefined },
  ): Promise<void>;
  /** Settles a record as the consumer does after its dead letter. */
  settle(record: IncomingRecord<DocumentIngested>, error: unknown): Promise<void>;
  /** Defers a record as the consumer does when its wait is long. */
  defer(record: IncomingRecord<DocumentIngested>, error: unknown): Promise<void>;
  /** Handles a document and returns its one outcome. */
  outcomeOf(document: Partial<DocumentIngestedInput>): Promise<AnalysisFinishedInput>;
}

// One for all harnesses of a spec: a thread takes a while to start. Idle, it does not keep the spec from ending.
let testWorker: AnalysisWorker | null = null;
const sharedWorker = (): AnalysisWorker => (testWorker ??= createTestWorker());

/** A record of `document.ingested`; what is not given has a value that does not matter. */
export function ingestedRecord(
  document: Partial<DocumentIngestedInput>,
  record: Partial<IncomingRecord> = {},
): IncomingRecord<DocumentIngested> {
  const event = fillDefaults('document.ingested', {
    tenantId: 'tenant-1',
    documentId: 'document-1',
    revision: 1,
    occurredAt: 1_700_000_000_000,
    ...document,
  });
  return {
    topic: 'document.ingested',
    partition: 0,
    offset: 0,
    timestamp: 1_700_000_000_000,
    key: Buffer.from(event.documentId),
    value: Buffer.alloc(0),
    headers: [],
    ...record,
    event,
  };
}

const harnessNow = 1_700_000_001_000;

const settledFailure = (error: unknown): SettledFailure => ({
  ...describeFailure(error),
  error,
  attempts: 1,
  firstFailedAt: 1_700_000_000_000,
  lastFailedAt: 1_700_000_000_000,
});

/** A logger that keeps its lines, as JSON. */
const createMemoryLogger = (lines: string[]): Logger => {
  const line = (fields: object, message?: string): void => {
    lines.push(JSON.stringify({ ...fields, message }));
  };
  return { debug: line, info: line, warn: line, error: line } as unknown as Logger;
};

export interface HarnessOptions {
  store: AnalysisPorts['store'];
  /** The analysis' settings; its defaults unless given. */
  config?: object;
  /** For long documents; one that all harnesses share unless given. */
  worker?: AnalysisPorts['worker'];
  /** Where tenants' rules come from; tenants have none unless given. */
  rulesReader?: Pick<RulesReader, 'versions' | 'rules'>;
  /** Switches the analysis to a model; the embedded engine unless given. */
  model?: HarnessModel;
  /** Whether runs that are deferred are kept, as they are unless given; false: they were kept for too long. */
  isPatient?: boolean;
}

/** How a model is asked. What is not given has a value that does not matter. */
export interface HarnessModel extends Partial<Omit<ModelChoice, 'promptVersion'>> {
  calls: ModelCalls;
  /** Longest text, in code points. */
  maxCharacters?: number;
  onUnknownPrompt?(version: string): void;
}

const engineOf = (definition: AnyAnalysis, model: HarnessModel, metrics: AnalysisMetrics): ModelEngine => {
  const { calls, maxCharacters = 1_000_000, onUnknownPrompt, ...given } = model;
  return createModelEngine({
    definition,
    calls,
    maxCharacters,
    choice: { provider: 'fake', model: 'small', temperature: 0, chunkCharacters: 16_000, ...given },
    onReading: (reading) => metrics.replied(reading),
    onUnknownPrompt: (_, version) => onUnknownPrompt?.(version),
  });
};

/** Puts an analysis into its runtime. */
export function createHarness(definition: AnyAnalysis, options: HarnessOptions): AnalysisHarness {
  const { store, config = definition.config.parse({}), worker = sharedWorker() } = options;
  const { rulesReader: reader = createMemoryRulesReader(), model, isPatient = true } = options;
  const { rules: kind } = definition;
  const published: Published[] = [];
  const logged: string[] = [];
  const parked: Promise<unknown>[] = [];
  const deferred: DeferredRun[] = [];
  const metrics = new Registry();
  const analysisMetrics = createAnalysisMetrics(definition.name, metrics);
  const handler = createAnalysisHandler(definition, config, {
    store,
    worker,
    rules:
      kind === undefined ? null : createRulesInForce({ kind, reader, cacheMs: 1_000, onClockSkew: () => undefined }),
    metrics: analysisMetrics,
    model: model === undefined ? null : engineOf(definition, model, analysisMetrics),
    defer: (run) => {
      if (isPatient) deferred.push(run);
      return Promise.resolve(isPatient);
    },
    log: createMemoryLogger(logged),
    now: () => harnessNow,
    publish: (topic, event, { headers }) => {
      published.push({ topic, event, headers });
      return Promise.resolve();
    },
  });
  const contextWith = (signal: AbortSignal = new AbortController().signal) => ({
    signal,
    attempt: 1,
    park: <T>(promise: Promise<T>): Promise<T> => {
      parked.push(promise);
      return promise;
    },
  });
  const harness: AnalysisHarness = {
    published,
    logged,
    parked,
    deferred,
    metrics,
    handle: (record, signal) => handler.onDocumentIngested(record, contextWith(signal)),
    rerun: (record, { run, fresh = false, askedAt = null }) => {
      const { requestedAnalyses: _, deadlineMs: __, sourceEventId: ___, ...document } = record.event;
      const event = { ...document, eventId: randomUUID(), run, fresh, cause: 'RERUN' as const, askedAt };
      return handler.onRunRequested({ ...record, event }, contextWith());
    },
    settle: (record, error) => handler.onSettled(record, settledFailure(error)),
    defer: (record, error) => {
      const waitMs = error instanceof RetryLater ? error.afterMs : 0;
      return handler.onDeferred(record, { ...settledFailure(error), dueAt: harnessNow + waitMs, waitMs });
    },
    async outcomeOf(document) {
      const before = published.length;
      await harness.handle(ingestedRecord({ documentId: randomUUID(), ...document }));
      const [outcome, ...others] = published.slice(before);
      if (outcome === undefined || others.length > 0) throw new Error(`${others.length} further outcomes, not one`);
      return outcome.event;
    },
  };
  return harness;
}
