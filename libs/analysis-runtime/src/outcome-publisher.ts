import {
  type AnalysisFinishedInput,
  type AnalysisTopic,
  analysisTopic,
  childTraceparent,
  parseTraceparent,
} from '@anabranch/contracts';
import { reach } from '@anabranch/failures/fail-points';
import type { IncomingRecord } from '@anabranch/kafka';
import type { Logger } from '@anabranch/service-host';
import type { AnalysisMetrics } from './metrics.js';

/** Publishes an event and resolves when the broker has it. */
export type Publish = (
  topic: AnalysisTopic,
  event: AnalysisFinishedInput,
  options: { headers: Readonly<Record<string, string>> },
) => Promise<void>;

export interface PublisherPorts {
  publish: Publish;
  metrics: Pick<AnalysisMetrics, 'outcome'>;
  log: Logger;
}

/** Publishes an outcome about the document of a record; resolves when the broker has it. */
export type PublishOutcome = (record: Pick<IncomingRecord, 'headers'>, event: AnalysisFinishedInput) => Promise<void>;

/** Where a name repeats, the last header counts. */
const incomingTraceparent = ({ headers }: Pick<IncomingRecord, 'headers'>): Buffer | null =>
  headers.findLast(([name]) => name === 'traceparent')?.[1] ?? null;

/** A publisher that continues the document's trace, counts, and logs ids and codes: never text of the document. */
export function createOutcomePublisher(analysis: string, { publish, metrics, log }: PublisherPorts): PublishOutcome {
  const topic = analysisTopic(analysis);
  return async (record, event) => {
    const traceparent = childTraceparent(incomingTraceparent(record));
    reach('analysis.before-publish');
    await publish(topic, event, { headers: { traceparent } });
    reach('analysis.published');
    const { tenantId, documentId, jobId, run, outcome } = event;
    const status = outcome.status.toLowerCase() as 'done' | 'refused' | 'failed';
    metrics.outcome(status);
    const fields = { tenantId, documentId, jobId, run, traceId: parseTraceparent(traceparent)?.traceId };
    const code = outcome.refusal?.code ?? outcome.failure?.code;
    if (code === undefined) log.debug(fields, 'outcome published: done');
    else log.warn({ ...fields, code }, `outcome published: ${status}`);
  };
}
