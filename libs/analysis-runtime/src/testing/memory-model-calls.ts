import { operationKeyOf, PinnedOtherwise } from '@anabranch/database/ledger';
import { canonicalJson } from '@anabranch/job';
import type { ModelPort, ModelReply, ModelRequest } from '@anabranch/language-model';
import type { ModelAnswer, ModelCalls, ModelPin, ModelWork } from '../model/model-calls.js';

/** A ledger in memory: write-once answers and pins, of one process, with one call at a time per operation. */
export interface MemoryModelCalls extends ModelCalls {
  /** Keys of the operations that were answered. */
  readonly answered: ReadonlySet<string>;
  readonly pins: ReadonlyMap<string, ModelPin>;
}

interface Stored {
  reply: ModelReply;
  boughtBy: string;
}

const runKeyOf = ({ jobId, analysis, run }: Pick<ModelWork, 'jobId' | 'analysis' | 'run'>): string =>
  `${jobId} ${analysis} ${run}`;

/** Calls through a ledger in memory, for specs: what the real one promises, without Postgres. */
export function createMemoryModelCalls(model: ModelPort): MemoryModelCalls {
  const answers = new Map<string, Stored>();
  const underWay = new Map<string, Promise<Stored>>();
  const pins = new Map<string, ModelPin>();

  const call = async (key: string, request: ModelRequest, options: { signal: AbortSignal; run: string }) => {
    const reply = await model.generateObject(request, { signal: options.signal, idempotencyKey: key });
    const stored = { reply, boughtBy: options.run };
    answers.set(key, stored);
    return stored;
  };

  /** A run that buys anew has a purchase of its own, which those after it keep. */
  const purchaseOf = (work: ModelWork): number => {
    if (work.isFresh) return work.run;
    const earlier = Array.from({ length: work.run - 1 }, (_, at) => pins.get(runKeyOf({ ...work, run: at + 1 })));
    return Math.max(1, ...earlier.map((pin) => pin?.purchase ?? 1));
  };

  return {
    get answered() {
      return new Set(answers.keys());
    },
    pins,
    async ask(request, { work, pin, signal, park }): Promise<ModelAnswer> {
      signal.throwIfAborted();
      const key = operationKeyOf(work, request, pin.purchase);
      const run = runKeyOf(work);
      const pinned = pins.get(run) ?? { ...pin, purchase: purchaseOf(work) };
      pins.set(run, pinned);
      // As the ledger compares them: as JSON.
      if (canonicalJson(pinned) !== canonicalJson(pin)) throw new PinnedOtherwise(pinned);
      const known = answers.get(key);
      const others = underWay.get(key);
      let stored = known;
      if (stored === undefined && others !== undefined) stored = await park(others);
      if (stored === undefined) {
        const made = call(key, request, { signal, run }).finally(() => underWay.delete(key));
        underWay.set(key, made);
        stored = await made;
      }
      return { reply: stored.reply, purchase: stored.boughtBy === run ? 'BOUGHT' : 'REUSED' };
    },
  };
}
