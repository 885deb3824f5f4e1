import { createBatcher } from '../batcher.js';
import type { Database } from '../database.js';
import {
  claimOperations,
  readOperations,
  type ClaimAnswer,
  type Grant,
  type Holder,
  type OperationState,
} from './claims.js';
import {
  beat,
  cancelledOperations,
  markUnknown,
  release,
  storeAnswers,
  takeOver,
  type Answer,
  type Lease,
} from './leases.js';
import type { StoredAnswer } from './claims.js';
import type { LedgerRun, Operation } from './operation.js';

/** The channel on which answers are told that somebody waits for; the payload is the operation's key. */
export const answerChannel = 'anabranch_answers';

/**
 * The ledger's tables, for one holder. What waits shares a round trip.
 * Every method may throw DependencyUnavailable; whether it was done is then unknown, and all may be repeated.
 */
export interface LedgerStore {
  claim(operation: Operation): Promise<ClaimAnswer>;
  /** Returns what the store has then: the first answer. */
  store(answer: Answer): Promise<StoredAnswer>;
  read(key: string): Promise<OperationState | undefined>;
  beat(leases: readonly Lease[]): Promise<void>;
  /** Of these, those that only cancelled jobs would use. */
  cancelled(keys: readonly string[]): Promise<readonly string[]>;
  release(lease: Lease): Promise<void>;
  /** The call of this lease may have been made, and is not made again. */
  markUnknown(lease: Lease): Promise<void>;
  /** Null when the lease has moved since it was seen. */
  takeOver(lease: Lease & { readonly beat: number }, run: LedgerRun): Promise<Grant | null>;
}

// One batch at a time forms the largest batches; two would only lock each other's rows.
const batching = { lanes: 1, maxItems: 500, keyOf: () => '' };

/** The store of a process; takes its number, which is higher than that of every earlier process. */
export async function openLedgerStore(db: Database, member: string): Promise<LedgerStore> {
  const [row] = await db.query<{ incarnation: string }>("SELECT nextval('ledger_incarnation') AS incarnation");
  const holder: Holder = { member, incarnation: Number(row?.incarnation) };
  const claims = createBatcher<Operation, ClaimAnswer>({
    ...batching,
    run: (operations) => db.atOnce((one) => claimOperations(one, operations, holder)),
  });
  const answers = createBatcher<Answer, StoredAnswer>({ ...batching, run: (given) => storeAll(db, given) });
  const reads = createBatcher<string, OperationState | undefined>({
    ...batching,
    run: async (keys) => {
      const found = await readOperations(db, keys);
      return keys.map((key) => found.get(key));
    },
  });
  return {
    claim: (operation) => claims.add(operation),
    store: (answer) => answers.add(answer),
    read: (key) => reads.add(key),
    beat: (leases) => beat(db, leases),
    cancelled: (keys) => cancelledOperations(db, keys),
    release: (lease) => release(db, lease),
    markUnknown: (lease) => markUnknown(db, lease),
    takeOver: (lease, run) => takeOver(db, { ...lease, run }, holder),
  };
}

async function storeAll(db: Database, given: readonly Answer[]): Promise<(StoredAnswer | Error)[]> {
  const { answers, waitedFor } = await db.atOnce((one) => storeAnswers(one, given));
  // After the commit, and not waited for: whoever misses it looks again by himself.
  if (waitedFor.length > 0) {
    void db
      .query('SELECT pg_notify($1, key) FROM unnest($2::text[]) AS key', [answerChannel, waitedFor])
      .catch(() => []);
  }
  return given.map(({ key }) => answers.get(key) ?? new Error('The operation of an answer has been removed.'));
}
