/** Never a key, an id or text of a document. */
export type SpanAttributes = Readonly<Record<string, string | number>>;

/** One piece of work in a trace. */
export interface Span {
  /** Its own context (W3C `traceparent`), for what follows from it. */
  readonly traceparent: string;
  /** Called once. */
  end(attributes: SpanAttributes): void;
}

export interface SpanStart {
  /** The `traceparent` of what caused it, as the record has it; undefined starts a new trace. */
  readonly parent: string | undefined;
  /** The `tracestate` beside it. */
  readonly state: string | undefined;
  readonly attributes: SpanAttributes;
}

/** Where spans go: a few lines over whatever tracing library the service has. Must not throw. */
export interface Tracer {
  startSpan(name: string, start: SpanStart): Span;
}
