import { randomFillSync } from 'node:crypto';

// W3C Trace Context, level 1: https://www.w3.org/TR/trace-context/#traceparent-header

/** A `traceparent`, taken apart. */
export interface TraceParent {
  /** 32 lower-case hex digits: the same for all that follows from one request. */
  readonly traceId: string;
  /** 16 lower-case hex digits: the span that caused this. */
  readonly spanId: string;
  readonly sampled: boolean;
}

const pattern = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:$|-)/;

/** Reads a `traceparent`; anything that is none gives null, as the recommendation asks: it starts a new trace. */
export function parseTraceparent(header: string | Buffer | null | undefined): TraceParent | null {
  const text = typeof header === 'string' ? header : header?.toString('latin1');
  const match = text === undefined ? null : pattern.exec(text);
  const [, traceId, spanId, flags] = match ?? [];
  if (text === undefined || traceId === undefined || spanId === undefined || flags === undefined) return null;
  if (text.startsWith('00') && text.length !== 55) return null;
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

/** Bytes that are not all zero, which the recommendation forbids. */
export type RandomHex = (bytes: number) => string;

// Drawn for many at a time: a call of the generator costs more than an identifier of eight bytes.
const drawn = Buffer.alloc(4_096);
let used = drawn.length;

const randomHex: RandomHex = (bytes) => {
  if (used + bytes > drawn.length) {
    randomFillSync(drawn);
    used = 0;
  }
  const hex = drawn.toString('hex', used, (used += bytes));
  return /[^0]/.test(hex) ? hex : randomHex(bytes);
};

const format = ({ traceId, spanId, sampled }: TraceParent): string =>
  `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`;

/** The `traceparent` of a new trace. */
export function newTraceparent(random: RandomHex = randomHex): string {
  return format({ traceId: random(16), spanId: random(8), sampled: true });
}

/** The `traceparent` of a step of an existing trace: same trace, new span. Without a parent, a new trace. */
export function childTraceparent(parent: string | Buffer | null | undefined, random: RandomHex = randomHex): string {
  const trace = parseTraceparent(parent);
  return trace === null ? newTraceparent(random) : format({ ...trace, spanId: random(8) });
}
