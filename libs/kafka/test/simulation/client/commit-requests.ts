import type { CommitPosition } from '../../../src/broker-port.js';
import type { SentCommit } from '../ledger/commit-account.js';
import { nothingConveyed, type Conveyed } from '../ledger/tenure.js';
import type { ClientContext } from './cluster.js';
import type { Connection } from './connection.js';
import type { Ownership } from './ownership.js';

export interface Membership {
  readonly memberId: string | undefined;
  readonly generation: number;
}

export interface CommitRequestsOptions extends ClientContext {
  readonly connection: Connection;
  readonly ownership: Ownership;
}

/** Commits of one client: each is tried once, and its request or its response may be lost. */
export class CommitRequests {
  private outstanding = 0;
  private outstandingSince = 0;
  private answeredMs = 0;

  constructor(private readonly options: CommitRequestsOptions) {}

  /** Whether the runtime waits for an answer, and so cannot commit. */
  get hasToWait(): boolean {
    return this.outstanding > 0;
  }

  /** For how long the runtime has waited for answers so far. */
  get waitedMs(): number {
    return this.answeredMs + (this.hasToWait ? this.options.cluster.timeline.now - this.outstandingSince : 0);
  }

  send(positions: readonly CommitPosition[], { memberId, generation }: Membership): Promise<void> {
    const { cluster, connection, ownership, process } = this.options;
    const sent = positions.map((position): SentCommit => ({
      position,
      tenure: ownership.of(position),
      conveyed: this.conveyedBy(position),
    }));
    for (const commit of sent) cluster.ledger.commits.send(commit, process);
    const answer = this.expectAnswer();
    if (memberId === undefined) answer.refuse('there is no member');
    const isRequestLost = cluster.isOut('commit requests');
    connection.request(() => {
      if (memberId === undefined) return;
      if (isRequestLost) return void cluster.timeline.after(500, () => answer.refuse('the request timed out'));
      const refusal = cluster.group.refusalOf(memberId, generation);
      if (refusal === undefined) {
        for (const commit of sent) cluster.ledger.commits.take(commit, cluster.logOf(commit.position));
      }
      const isResponseLost = cluster.isOut('commit responses');
      connection.after(() => {
        if (isResponseLost) answer.refuse('the response was lost');
        else if (refusal !== undefined) answer.refuse(refusal);
        else answer.accept();
      });
    });
    return answer.promise;
  }

  private expectAnswer(): { promise: Promise<void>; accept: () => void; refuse: (why: string) => void } {
    const answer = Promise.withResolvers<void>();
    const { timeline } = this.options.cluster;
    if (this.outstanding++ === 0) this.outstandingSince = timeline.now;
    const end = (how: () => void) =>
      this.options.run(() => {
        if (--this.outstanding === 0) this.answeredMs += timeline.now - this.outstandingSince;
        how();
      });
    return {
      promise: answer.promise,
      accept: () => end(() => answer.resolve()),
      refuse: (why) => end(() => answer.reject(new Error(why))),
    };
  }

  private conveyedBy(position: CommitPosition): Conveyed {
    const tenure = this.options.ownership.of(position);
    if (tenure === undefined || (position.metadata ?? '') === '') return nothingConveyed;
    return tenure.conveyedAt(this.options.cluster.timeline.step);
  }
}
