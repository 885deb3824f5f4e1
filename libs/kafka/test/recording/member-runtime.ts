import { PoisonMessage, RetryLater } from '@anabranch/failures';
import type { BrokerPort, BrokerRecord } from '../../src/broker-port.js';
import type { Clock } from '../../src/clock.js';
import type { ConsumerMetrics } from '../../src/consumer/consumer-metrics.js';
import { ConsumerRuntime } from '../../src/consumer/consumer-runtime.js';
import { consumerDefaults, type ConsumerSettings } from '../../src/consumer/consumer-settings.js';
import type { IncomingRecord } from '../../src/incoming-record.js';
import { silentLogger } from '../../src/logger.js';
import { SeededRandom } from '../simulation/seeded-random.js';
import type { Ending, Place } from './recorded-schedule.js';

/** What is the same when a schedule is recorded and when it is replayed. */
export const memberSettings: ConsumerSettings = {
  ...consumerDefaults,
  maxInFlight: 4,
  partitionLimits: { maxRecords: 8, maxBytes: 1_000_000 },
  sessionTimeoutMs: 3_000,
  heartbeatIntervalMs: 300,
};

export interface MemberOptions {
  readonly broker: BrokerPort;
  readonly clock: Clock;
  readonly seed: number;
  /** Handles a record; resolves with how that ended. */
  readonly handle: (record: IncomingRecord, attempt: number, signal: AbortSignal) => Promise<Ending>;
  readonly bury: (record: BrokerRecord) => Promise<void>;
}

/** The runtime of a member whose handlers end as they are told, or as they were seen to end. */
export function createMemberRuntime({ broker, clock, seed, handle, bury }: MemberOptions): ConsumerRuntime {
  const random = new SeededRandom(seed);
  return new ConsumerRuntime({
    group: 'recorded',
    broker,
    settings: memberSettings,
    decode: ({ topic, key, value }) => ({
      event: String(value),
      key: `${topic}/${String(key)}`,
      tenant: 'tenant',
      priority: 'NORMAL',
    }),
    handlerOf:
      () =>
      async (record, { attempt, signal }) => {
        const ending = await handle(record, attempt, signal);
        if (ending !== 'done') throw failures[ending]();
      },
    sendDeadLetter: bury,
    onFatal: (error) => {
      throw error;
    },
    metrics: noMetrics,
    random: () => random.next(),
    clock,
    log: silentLogger,
  });
}

const failures: Readonly<Record<Exclude<Ending, 'done'>, () => Error>> = {
  later: () => new RetryLater('busy', { afterMs: 200 }),
  poison: () => new PoisonMessage('CONTENT_MISSING', 'gone'),
  aborted: () => new Error('told to end'),
};

/** Nothing of the runtime depends on what its metrics do. */
const noMetrics = new Proxy({}, { get: () => () => {} }) as ConsumerMetrics;

export function placeOf({ partition, offset }: Pick<BrokerRecord, 'partition' | 'offset'>): Place {
  return `${partition}@${offset}`;
}

/** Names timers by how long they take and how many of that length there were: the same in a recording and its replay. */
export class TimerNames {
  private readonly counts = new Map<string, number>();

  next(what: number | 'soon'): string {
    const kind = typeof what === 'number' ? String(Math.round(what * 1_000) / 1_000) : what;
    const count = (this.counts.get(kind) ?? 0) + 1;
    this.counts.set(kind, count);
    return `${kind}#${count}`;
  }
}
