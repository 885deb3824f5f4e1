import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { asFailure } from '../failures.js';
import { outboxChannel } from '../notifier.js';

/** The first of the two numbers that name an advisory lock of ours; the second is a hash of the topic. */
const outboxLocks = 7_262_419;

interface Waiting {
  retryMs: number;
  /** An owner that says nothing for so long loses the topic: a process that is frozen keeps its connection. */
  silentMs: number;
  signal: AbortSignal;
  /** Another one owns the topic. */
  onStandby(): void;
}

/**
 * Waits until this connection holds the topic's lock, and listens for new rows. False when it was asked to stop first.
 * The lock is the session's: it ends with the connection, whatever becomes of the process; and Postgres ends a session whose
 * owner says nothing more.
 */
export async function acquireOwnership(client: pg.Client, topic: string, waiting: Waiting): Promise<boolean> {
  try {
    while (!(await tryLock(client, topic))) {
      waiting.onStandby();
      await delay(waiting.retryMs, undefined, { signal: waiting.signal });
    }
    await client.query("SELECT set_config('idle_session_timeout', $1, false)", [String(waiting.silentMs)]);
    await client.query(`LISTEN ${outboxChannel}`);
    return true;
  } catch (error) {
    if (waiting.signal.aborted) return false;
    throw asFailure(error);
  }
}

async function tryLock(client: pg.Client, topic: string): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>('SELECT pg_try_advisory_lock($1, hashtext($2)) AS locked', [
    outboxLocks,
    topic,
  ]);
  return rows[0]?.locked ?? false;
}

/** Ends the connection, and with it the lock. A connection that is dead is not waited for. */
export async function giveUp(client: pg.Client): Promise<void> {
  const ended = client.end().catch(() => undefined);
  await Promise.race([ended, delay(1_000, undefined, { ref: false })]);
}
