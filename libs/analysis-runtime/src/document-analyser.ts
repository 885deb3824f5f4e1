import type { DocumentIngested } from '@anabranch/contracts';
import type { HandlerContext } from '@anabranch/kafka';
import { analyseDocument, type AnalysedOutcome, type AnalysisTask } from './analyse-document.js';
import type { AnyAnalysis } from './define-analysis.js';
import type { ModelWork } from './model/model-calls.js';
import type { ModelEngine } from './model/model-engine.js';
import type { AnalysisWorker } from './worker/analysis-worker.js';

/** Texts above this length, in bytes or UTF-16 units, are analysed in the worker thread. */
export const longTextLength = 131_072;

/** One run of the analysis over one document. */
export interface Run {
  readonly event: DocumentIngested;
  readonly run: number;
  /** Whether what a model answered before is to be asked again. */
  readonly isFresh: boolean;
  /** When it was asked for first, by the broker's clock in epoch milliseconds: rules are those of that time. */
  readonly askedAt: number;
}

export type RunContext = Pick<HandlerContext, 'signal' | 'park' | 'attempt'>;

export interface AnalyserPorts {
  /** For long documents. */
  worker: Pick<AnalysisWorker, 'run'>;
  /** Answers in place of the engine; null while the analysis is not switched to a model. */
  model: ModelEngine | null;
  /** Epoch milliseconds. */
  now(): number;
}

/** Analyses documents where they are best analysed. */
export interface DocumentAnalyser {
  /** Longest text that is read, in code points. */
  readonly maxCharacters: number;
  /** @throws as `analyseDocument` */
  analyse(task: AnalysisTask, run: Run, context: RunContext): Promise<AnalysedOutcome>;
}

/** A model waits rather than computes, so it is asked from the main thread; an engine has long texts in the worker. */
export function createDocumentAnalyser(definition: AnyAnalysis, ports: AnalyserPorts): DocumentAnalyser {
  const { worker, model, now } = ports;
  const { name, module } = definition;
  const maxCharacters = Math.min(definition.maxCharacters, model?.maxCharacters ?? Infinity);
  const limited = { ...definition, maxCharacters };
  return {
    maxCharacters,
    async analyse(task, run, { signal, park, attempt }) {
      if (model !== null) {
        const answerer = model.answererOf(workOf(name, run));
        return analyseDocument({ definition: limited, signal, now, model: { answerer, park, attempt } }, task);
      }
      if (module === undefined || task.raw.length <= longTextLength) {
        return analyseDocument({ definition, signal, now }, task);
      }
      const { event, ...outcome } = await worker.run({ ...task, module, name, maxCharacters }, signal);
      return { ...outcome, event: { ...event, occurredAt: now() } };
    },
  };
}

const workOf = (analysis: string, { event, run, isFresh }: Run): ModelWork => {
  const { tenantId, documentId, revision, jobId } = event;
  return { tenantId, documentId, revision, jobId, analysis, run, isFresh };
};
