import { appendFileSync } from 'node:fs';

/** One call, as the server saw it. */
export interface LoggedCall {
  /** From 1, in the order of arrival. */
  readonly number: number;
  /** ISO 8601. */
  readonly arrivedAt: string;
  readonly endedAt: string | null;
  /** Of the header `Idempotency-Key`; empty when there was none. */
  readonly idempotencyKey: string;
  /** Of the body as canonical JSON: equal requests have equal hashes. */
  readonly requestSha256: string;
  readonly model: string;
  /** The behaviour's kind and status; `left` when the caller broke off; null while it is under way. */
  readonly outcome: string | null;
}

/** The calls of a server, counted. */
export interface CallCounts {
  calls: number;
  /** Different idempotency keys. */
  keys: number;
  mostPerKey: number;
  perKey: Record<string, number>;
  outcomes: Record<string, number>;
}

export type CallArrival = Pick<LoggedCall, 'idempotencyKey' | 'requestSha256' | 'model'>;

/** What was called, kept outside of the one who calls: the count that a claim of "once" is compared with. */
export interface CallLog {
  /** Notes a call, and returns what notes its end. */
  arrived(call: CallArrival): (outcome: string) => void;
  calls(): readonly LoggedCall[];
  counts(): CallCounts;
  clear(): void;
}

const tally = (values: readonly string[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
};

/** @param file gets a line of JSON at each arrival and each end, at once, so that it survives a crash */
export function createCallLog(file?: string): CallLog {
  const calls: LoggedCall[] = [];
  const write = (event: string, call: LoggedCall): void => {
    if (file !== undefined) appendFileSync(file, `${JSON.stringify({ event, ...call })}\n`);
  };
  return {
    arrived(arrival) {
      const index = calls.length;
      const call = { number: index + 1, arrivedAt: new Date().toISOString(), endedAt: null, ...arrival, outcome: null };
      calls.push(call);
      write('arrived', call);
      return (outcome) => {
        const ended = { ...call, endedAt: new Date().toISOString(), outcome };
        // After `clear` its place may be another's.
        if (calls[index] === call) calls[index] = ended;
        write('ended', ended);
      };
    },
    calls: () => calls,
    counts() {
      const perKey = tally(calls.map(({ idempotencyKey }) => idempotencyKey));
      return {
        calls: calls.length,
        keys: Object.keys(perKey).length,
        mostPerKey: Math.max(0, ...Object.values(perKey)),
        perKey,
        outcomes: tally(calls.map(({ outcome }) => outcome ?? 'under way')),
      };
    },
    clear() {
      calls.length = 0;
    },
  };
}
