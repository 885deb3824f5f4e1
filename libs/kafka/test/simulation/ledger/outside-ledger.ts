import type { BrokerRecord } from '../../../src/broker-port.js';
import type { GroupOffsets } from '../broker/group-offsets.js';
import type { LogRange, PartitionLog } from '../broker/partition-log.js';
import { CommitAccount } from './commit-account.js';
import { HandlingAccount, type HandlingOptions } from './handling-account.js';
import { placeOf, type Violation } from './note.js';

export interface LedgerOptions extends Omit<HandlingOptions, 'note' | 'isExcused'> {
  readonly offsets: GroupOffsets;
}

/**
 * An account of what was promised, kept outside of the runtime, from what handlers and the broker saw. It notes what is
 * wrong rather than throws: the runtime would take what is thrown for a failure of the handler or of the client.
 */
export class OutsideLedger {
  readonly violations: Violation[] = [];
  readonly commits: CommitAccount;
  readonly handling: HandlingAccount;

  constructor(private readonly options: LedgerOptions) {
    const note = (invariant: string, what: string) => this.note(invariant, what);
    this.commits = new CommitAccount(options.offsets, options.clock, note);
    const isExcused = (record: BrokerRecord) => this.commits.isExcused(record);
    this.handling = new HandlingAccount({ ...options, isExcused, note });
  }

  note(invariant: string, what: string): void {
    this.violations.push({ invariant, what });
  }

  isDone(logs: readonly PartitionLog[]): boolean {
    return logs.every((log) => log.end === this.positionIn(log));
  }

  /** Everything must be finished and committed by now. */
  close(logs: readonly PartitionLog[]): void {
    for (const log of logs) {
      const { lane, removed, records, end } = log;
      // What is removed before the group has committed anything is not missed by it.
      const expected = this.options.offsets.has(lane) ? [...removed, ...records] : records;
      const missing = this.handling.unfinished(expected).filter((record) => !this.commits.isExcused(record));
      const offset = this.positionIn(log);
      if (missing.length > 0) this.note('every record finishes', `${missing.map(placeOf).join()} did not`);
      else if (end > offset) this.note('lag reaches zero', `${lane} is committed up to ${offset} of ${end}`);
    }
  }

  /** Where the group would go on. */
  private positionIn({ lane, start }: LogRange): number {
    const { offsets } = this.options;
    return offsets.has(lane) ? offsets.get(lane).offset : start;
  }
}
