import { renderRecord, type Coverage, type Engine, type Failure, type Refusal, type Usage } from '@anabranch/contracts';
import type { OutcomeStatus } from './outcome.js';

/** One outcome, with all that its receipt says. */
export interface OutcomeDetails {
  run: number;
  status: OutcomeStatus;
  engine: Engine | null;
  coverage: Coverage | null;
  usage: Usage | null;
  language: string | null;
  warnings: readonly string[];
  refusal: Refusal | null;
  failure: Failure | null;
  /** When the analysis finished, in epoch milliseconds; null when it is late. */
  finishedAt: number | null;
}

/** What a receipt says of an analysis that has not finished. */
export interface WaitingEntry {
  outcome: 'waiting';
  run: number;
}

/** What a receipt says of an analysis that ended, one way or another. `code` and `message` say why it is not done. */
export interface OutcomeEntry {
  outcome: OutcomeStatus;
  run: number;
  code?: string;
  message?: string;
  /** How often the work was tried, when it failed. */
  attempts?: number;
  /** The provider that refused. */
  provider?: string;
  /** As JSON shows these records (`renderRecord`); left out when not known, as the language is. */
  engine?: Partial<Engine>;
  coverage?: Partial<Coverage>;
  /** Null when nothing had to be bought. */
  usage: Partial<Usage> | null;
  language?: string;
  warnings: readonly string[];
  /** ISO 8601 in UTC; null when late. */
  finishedAt: string | null;
}

/** Each requested analysis with its outcome (architecture §9). */
export interface Receipt {
  /** Whether every requested analysis is done. */
  complete: boolean;
  analyses: Record<string, OutcomeEntry | WaitingEntry>;
}

/** What a receipt is made of: per requested analysis the run that is wanted, and the outcome in effect, if any. */
export type ReceiptLines = Readonly<Record<string, { wantedRun: number; outcome: OutcomeDetails | null }>>;

/** The receipt of a job: a checked claim about every requested analysis. */
export function receiptOf(lines: ReceiptLines): Receipt {
  const names = Object.keys(lines).sort();
  const entries = names.map((name) => [name, entryOf(lines[name])] as const);
  return {
    complete: entries.length > 0 && entries.every(([, { outcome }]) => outcome === 'done'),
    analyses: Object.fromEntries(entries),
  };
}

function entryOf(line: ReceiptLines[string] | undefined): OutcomeEntry | WaitingEntry {
  if (!line?.outcome) return { outcome: 'waiting', run: line?.wantedRun ?? 1 };
  const { run, status, engine, coverage, usage, language, warnings, finishedAt } = line.outcome;
  return {
    outcome: status,
    run,
    ...whyNotDone(line.outcome),
    ...(engine && { engine: renderRecord('Engine', engine) }),
    ...(coverage && { coverage: renderRecord('Coverage', coverage) }),
    usage: usage && renderRecord('Usage', usage),
    ...(language !== null && { language }),
    warnings,
    finishedAt: finishedAt === null ? null : new Date(finishedAt).toISOString(),
  };
}

function whyNotDone({ status, refusal, failure }: OutcomeDetails): Partial<OutcomeEntry> {
  if (status === 'refused' && refusal) {
    const { code, message, provider } = refusal;
    return { code, message, ...(provider === null ? {} : { provider }) };
  }
  if (status === 'failed' && failure) return { ...failure };
  if (status === 'late') return { message: 'No outcome came before the deadline; one that comes later is added.' };
  return {};
}
