// The job that every peer does: five analyses of a document, which ask a model in the worker's own process, and one result.
import { setTimeout as delay } from 'node:timers/promises';
import { slowDelayMs } from '../../libs/language-model/dist/testing/slow-delay.js';
import { answer, tell } from '../consumer/child.mjs';

export const analyses = ['summary', 'entity-extraction', 'classification', 'sentiment', 'compliance'];

/**
 * A model that answers at once, or as slowly as it is told, and counts its calls.
 * @param {object | null} slow as of slowDelayMs
 */
export function createModel(slow) {
  const seen = { calls: 0, slowestMs: 0 };
  return {
    seen,
    async ask(analysis, { documentId, text }) {
      if (seen.calls++ === 0) tell({ firstWorkAt: Date.now() });
      const ms = slow === null ? 0 : Math.round(slowDelayMs(slow, `${documentId} ${analysis}`));
      seen.slowestMs = Math.max(seen.slowestMs, ms);
      if (ms > 0) await delay(ms);
      return { analysis, status: 'DONE', result: { label: analysis, confidence: 0.9, quote: text.slice(0, 80) } };
    },
  };
}

/** What five outcomes are joined into. */
export const join = (documentId, outcomes) => ({ documentId, state: 'COMPLETE', outcomes });

/**
 * In a worker: answers the bench at once, so that no command is lost while `start` still runs.
 * @param {{ model: ReturnType<typeof createModel>, start: () => Promise<void>, commands?: object }} worker
 */
export function serve({ model, start, commands = {} }) {
  const started = start();
  started.catch(() => {});
  answer({ ready: () => started, seen: async () => model.seen, ...commands });
}
