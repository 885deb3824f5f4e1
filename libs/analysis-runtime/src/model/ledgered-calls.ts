import { type Ledger, operationKeyOf, type StoredAnswer } from '@anabranch/database/ledger';
import type { ModelPort, ModelReply } from '@anabranch/language-model';
import type { ModelCalls, ModelWork } from './model-calls.js';

const isBoughtBy = ({ jobId, analysis, run }: ModelWork, { boughtBy }: StoredAnswer): boolean =>
  boughtBy.jobId === jobId && boughtBy.analysis === analysis && boughtBy.run === run;

/** Calls of a model through the ledger: each distinct request of a tenant is made once, and its answer kept. */
export function createLedgeredCalls(ledger: Pick<Ledger, 'perform'>, model: ModelPort): ModelCalls {
  return {
    async ask(request, { work, pin, signal, park }) {
      const key = operationKeyOf(work, request, pin.purchase);
      const call = async (whileWanted: AbortSignal): Promise<string> =>
        JSON.stringify(await model.generateObject(request, { signal: whileWanted, idempotencyKey: key }));
      const stored = await ledger.perform({ run: work, key, pin }, { call, signal, park });
      const reply = JSON.parse(stored.answer) as ModelReply;
      return { reply, purchase: isBoughtBy(work, stored) ? 'BOUGHT' : 'REUSED' };
    },
  };
}
