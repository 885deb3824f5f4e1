// Where a process may die in the middle of something, by name. The one list: what places, arms and kills goes by it.

/** Each step where a crash matters, and what stands at that moment. The name says where, and what was the last to happen. */
export const failPoints = {
  'acceptance.text-stored': 'a long text is in the object store; nothing refers to it yet',
  'acceptance.before-commit': 'document, job and outbox row are written, and not committed',
  'acceptance.committed': 'a document is accepted, and its sender does not know',
  'keys.forgotten': 'idempotency keys whose time was over are removed',
  'command.committed': 'one more run is allocated, and whoever asked does not know',
  'relay.before-publish': 'an outbox row was read, and its event not sent',
  'relay.published': 'the broker has an event whose outbox row is still there',
  'relay.removed': 'the outbox row is gone',
  'consumer.handled': 'a record was handled, and its offset is not committed',
  'consumer.before-commit': 'an offset is about to be committed',
  'consumer.committed': 'an offset was committed, and the consumer does not know',
  'consumer.dead-lettered': 'a dead letter is acknowledged, and its failure outcome not published',
  'consumer.settled': 'a failure outcome is published, and its record unfinished',
  'consumer.deferred': 'a run is kept until its wait is over, and its record unfinished',
  'collection.before-commit': 'facts are added to their jobs, and not committed',
  'collection.committed': 'facts are committed, and their records unfinished',
  'deadlines.passed': 'jobs have settled because their time was up',
  'releases.committed': 'deferred runs are commands in the outbox, and nobody follows them',
  'retention.swept': 'one table of the ledger is swept, the others are not',
  'ledger.before-claim': 'an operation is about to be claimed, and its run to begin if it has not',
  'ledger.pinned-otherwise': 'a run has begun with another pin than its claim says, and nothing is claimed',
  'ledger.granted': 'a lease is held, and the call not made',
  'ledger.beat': 'a call is under way, and its holder has shown life',
  'ledger.waiting': 'somebody else’s call is waited for',
  'ledger.taken-over': 'a lease was taken from a holder that showed no life, and the call not repeated',
  'ledger.call-failed': 'a call has failed, and its lease is not given back',
  'ledger.released': 'the lease of a failed call is given back',
  'ledger.answered': 'a call was answered, and the answer not stored',
  'ledger.stored': 'an answer is stored, and nobody has read it',
  'analysis.before-publish': 'an outcome is made, and not published',
  'analysis.published': 'an outcome is acknowledged, and its record unfinished',
} as const;

/** The name of a step. */
export type FailPoint = keyof typeof failPoints;

/** All names, in the order of a document's way. */
export const failPointNames = Object.keys(failPoints) as readonly FailPoint[];

let onReached: ((point: FailPoint) => void) | null = null;

/** A step is reached. Nothing happens, at the cost of one comparison, unless the process was told what to do there. */
export function reach(point: FailPoint): void {
  if (onReached !== null) onReached(point);
}

/** Says what happens at every step from now on; null: nothing. For the whole process, because dying is. */
export function armFailPoints(action: ((point: FailPoint) => void) | null): void {
  onReached = action;
}
