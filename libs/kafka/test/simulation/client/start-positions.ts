import type { StartPosition } from '../../../src/broker-port.js';
import { startOf } from '../../../src/kafkajs/expired-offsets.js';
import { silentLogger } from '../../../src/logger.js';
import type { LogRange } from '../broker/partition-log.js';
import { nothingConveyed, type Conveyed } from '../ledger/tenure.js';
import type { Cluster } from './cluster.js';

/** Where a partition goes on, and what the broker says of records above. */
export interface FoundStart {
  readonly position: StartPosition;
  readonly conveyed: Conveyed;
}

/** What a member would go on from: a committed offset, or its own position when it was fetching already. */
export interface KnownStart {
  readonly wanted: number | undefined;
  /** Undefined when it was not asked for. */
  readonly committed: number | undefined;
  readonly metadata: string;
  readonly conveyed: Conveyed;
}

/** What the broker has for the group. */
export function committedIn({ offsets }: Cluster, { lane }: LogRange): KnownStart {
  const { offset, metadata, conveyed } = offsets.get(lane);
  const committed = offsets.has(lane) ? offset : undefined;
  return { wanted: committed, committed, metadata, conveyed };
}

/** Decides as the adapter of kafkajs does, with its own function. @throws StopService as that does */
export function findStart(log: LogRange, known: KnownStart, { whenExpired: policy, ledger }: Cluster): FoundStart {
  const { topic, partition, start: low, end: high } = log;
  const { wanted, committed, metadata, conveyed } = known;
  let isReported = false;
  const found = { topic, partition, wanted, committed, metadata, low, high };
  const offset = startOf(found, 'group', { policy, log: { ...silentLogger, error: () => (isReported = true) } });
  if (wanted === undefined) ledger.commits.startAtFirst(log);
  else ledger.commits.start({ log, from: wanted, to: offset, isReported, mayGoOn: policy === 'continue' });
  const isWhereItWas = offset === wanted;
  return {
    position: { topic, partition, offset, committed, metadata: isWhereItWas ? metadata : '', endOffset: high },
    conveyed: isWhereItWas ? conveyed : nothingConveyed,
  };
}
