import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { aborted } from '../aborted.js';
import type { Database } from '../database.js';
import { answerChannel } from './ledger-store.js';

const reconnectMs = 1_000;

/**
 * Hears of answers that other processes store. A connection that breaks is made again: what was missed meanwhile, whoever
 * waits finds by looking.
 */
export function listenForAnswers(db: Database, onAnswered: (key: string) => void): { stop(): Promise<void> } {
  const stopping = new AbortController();

  async function listen(): Promise<void> {
    const client = await db.connectDirectly('answers');
    try {
      client.on('notification', ({ payload }: pg.Notification) => onAnswered(payload ?? ''));
      const ended = new Promise<void>((resolve) => client.once('error', () => resolve()).once('end', () => resolve()));
      await client.query(`LISTEN ${answerChannel}`);
      await Promise.race([ended, aborted(stopping.signal)]);
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      await listen().catch(() => undefined);
      await delay(reconnectMs, undefined, { signal: stopping.signal, ref: false }).catch(() => undefined);
    }
  }

  const running = run();
  return {
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}
