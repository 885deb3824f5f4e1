// Rules may be large, and what an analysis makes of them too; documents in a row are often of one tenant. So a thread gets
// the same rules once, and they are the same object for all those documents.
import type { RulesInForce } from '../rules/tenant-rules.js';
import type { WorkerRequest } from './protocol.js';

/** Rules as they are sent: those of the document before are only named. */
export type SentRules = WorkerRequest['rules'] | Pick<RulesInForce, 'key'>;

/** A request as it is sent. */
export type WorkerMessage = Omit<WorkerRequest, 'rules'> & { rules: SentRules };

const lastSent = new WeakMap<object, string>();

/** What is sent to a thread, which answers in the order of what it is sent. */
export function rulesToSend(thread: object, rules: WorkerRequest['rules']): SentRules {
  if (rules === null || 'refusal' in rules) return rules;
  const { key } = rules;
  if (lastSent.get(thread) === key) return { key };
  lastSent.set(thread, key);
  return rules;
}

let lastReceived: RulesInForce | null = null;

/** What was meant, in the thread. */
export function receivedRules(sent: SentRules): WorkerRequest['rules'] {
  if (sent === null || 'refusal' in sent) return sent;
  if ('rules' in sent) lastReceived = sent;
  if (lastReceived?.key !== sent.key) throw new Error('The worker thread was sent rules that it does not have.');
  return lastReceived;
}
