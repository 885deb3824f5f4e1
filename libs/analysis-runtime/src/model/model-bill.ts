import type { EngineInput, UsageInput } from '@anabranch/contracts';
import { type ModelUsage, usageOf } from '@anabranch/language-model';
import type { ModelAnswer, ModelWork } from './model-calls.js';

/** Adds up what a run cost. */
export interface ModelBill {
  add(answer: ModelAnswer): void;
  /** A call that failed, and may have been billed. */
  addFailed(error: unknown): void;
  /** Undefined when no call was made. */
  usage(): UsageInput | undefined;
  warnings(): string[];
}

const unknownUsage = 'The provider did not say how many tokens some calls took; the usage holds the others.';

export function createModelBill(): ModelBill {
  const total = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0, latencyMs: 0, attempts: 0 };
  let isBought = false;
  let isIncomplete = false;

  const count = (usage: ModelUsage): void => {
    total.inputTokens += usage.inputTokens;
    total.outputTokens += usage.outputTokens;
    total.cachedInputTokens += usage.cachedInputTokens;
  };

  return {
    add({ reply, purchase }) {
      total.attempts += 1;
      total.latencyMs += reply.latencyMs;
      isBought ||= purchase === 'BOUGHT';
      if (reply.usage === null) isIncomplete = true;
      else count(reply.usage);
    },
    addFailed(error) {
      const usage = usageOf(error);
      if (usage === null) return;
      total.attempts += 1;
      isBought = true;
      count(usage);
    },
    usage: () => (total.attempts === 0 ? undefined : { ...total, boughtOrReused: isBought ? 'BOUGHT' : 'REUSED' }),
    warnings: () => (isIncomplete ? [unknownUsage] : []),
  };
}

/** Who was asked, and what it cost. */
export interface ModelRunNote {
  engine: EngineInput;
  usage: UsageInput | undefined;
}

// Beside the error: what happens next does not depend on it. By run, because one failed call fails for all who wait for it.
const notes = new WeakMap<object, Map<string, ModelRunNote>>();

/** Notes who was asked, and what it cost, in a run that ended with an error. */
export function noteModelRun(error: unknown, run: NotedRun, note: ModelRunNote): void {
  if (typeof error !== 'object' || error === null) return;
  const known = notes.get(error) ?? new Map<string, ModelRunNote>();
  notes.set(error, known.set(keyOf(run), note));
}

/** Who was asked, and what it cost, in a run that ended with this error, or given up because of it; null when no model was. */
export function modelRunOf(error: unknown, run: NotedRun): ModelRunNote | null {
  if (typeof error !== 'object' || error === null) return null;
  const { cause } = error as { cause?: unknown };
  return notes.get(error)?.get(keyOf(run)) ?? modelRunOf(cause, run);
}

type NotedRun = Pick<ModelWork, 'jobId' | 'run'>;
const keyOf = ({ jobId, run }: NotedRun): string => `${jobId} ${run}`;
