import { headerText } from '../incoming-record.js';
import { spanAttributes, traceHeaders } from '../telemetry-names.js';
import type { Span, Tracer } from '../tracing.js';
import type { Step } from './next-step.js';
import type { Work } from './work.js';

export interface ProcessSpanStart {
  readonly group: string;
  readonly queueWaitMs: number;
  readonly attempt: number;
}

/** The span of one try of a record. It begins with the handler: the wait before it is an attribute, not a part of it. */
export function startProcessSpan(tracer: Tracer, { record }: Work, start: ProcessSpanStart): Span {
  const { topic, partition, offset } = record;
  return tracer.startSpan(`process ${topic}`, {
    parent: headerText(record, traceHeaders.traceparent),
    state: headerText(record, traceHeaders.tracestate),
    attributes: {
      [spanAttributes.system]: 'kafka',
      [spanAttributes.operation]: 'process',
      [spanAttributes.operationType]: 'process',
      [spanAttributes.topic]: topic,
      [spanAttributes.partition]: String(partition),
      [spanAttributes.offset]: offset,
      [spanAttributes.group]: start.group,
      [spanAttributes.queueWaitMs]: start.queueWaitMs,
      [spanAttributes.attempt]: start.attempt,
    },
  });
}

/** The span says how the try ended; what the error's message quotes stays out of it. */
export function endProcessSpan(span: Span, step: Step): void {
  const outcome = { [spanAttributes.outcome]: step.kind };
  const errorType = errorTypeOf(step);
  span.end(errorType === undefined ? outcome : { ...outcome, [spanAttributes.errorType]: errorType });
}

function errorTypeOf(step: Step): string | undefined {
  switch (step.kind) {
    case 'done':
      return undefined;
    case 'settle':
      return step.verdict.failure.code;
    case 'defer':
      return step.deferral.code;
    default:
      return step.error instanceof Error ? step.error.name : 'unknown';
  }
}
