import type { Queryable } from './database.js';

/** The channel on which relays hear of new outbox rows; the payload is the topic. */
export const outboxChannel = 'anabranch_outbox';

/** Tells whoever carries a topic's outbox rows that there are new ones. */
export interface Notifier {
  /** Says that the outbox of a topic has new rows. Call it after the commit; it never fails, a sweep covers its loss. */
  notify(topic: string): void;
  /** This process owns the outbox of a topic: `wake` is called in the place of NOTIFY. Returns what ends that. */
  carry(topic: string, wake: () => void): () => void;
}

/**
 * Sends NOTIFY after commits, coalesced: while one is under way, all further ones become a single next one. It is never part
 * of the accepting transaction, where a pending NOTIFY would serialise all commits (semantics §8). Rows that this process
 * carries itself need none: one statement less for each commit, and no way through Postgres.
 */
export function createNotifier(query: Queryable['query']): Notifier {
  const waiting = new Set<string>();
  const carried = new Map<string, () => void>();
  let isSending = false;

  const send = async (): Promise<void> => {
    isSending = true;
    while (waiting.size > 0) {
      const topics = [...waiting];
      waiting.clear();
      // A lost notification costs the relay's sweep interval, nothing else.
      await query('SELECT pg_notify($1, topic) FROM unnest($2::text[]) AS topic', [outboxChannel, topics]).catch(
        () => [],
      );
    }
    isSending = false;
  };

  return {
    notify: (topic) => {
      const wake = carried.get(topic);
      if (wake !== undefined) return wake();
      waiting.add(topic);
      if (!isSending) void send();
    },
    carry: (topic, wake) => {
      carried.set(topic, wake);
      return () => {
        if (carried.get(topic) === wake) carried.delete(topic);
      };
    },
  };
}
