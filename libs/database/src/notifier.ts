import type { Queryable } from './database.js';

/** The channel on which relays hear of new outbox rows; the payload is the topic. */
export const outboxChannel = 'anabranch_outbox';

/**
 * Sends NOTIFY after commits, coalesced: while one is under way, all further ones become a single next one. It is never part
 * of the accepting transaction, where a pending NOTIFY would serialise all commits (semantics §8).
 */
export function createNotifier(query: Queryable['query']): (topic: string) => void {
  const waiting = new Set<string>();
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

  return (topic) => {
    waiting.add(topic);
    if (!isSending) void send();
  };
}
