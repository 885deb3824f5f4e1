import type { ProbePolicy } from './intake-pause.js';
import type { PartitionLimits } from './partition-epoch.js';
import type { RetryPolicy } from './retry-schedule.js';

/** How a consumer works; every value has a default. */
export interface ConsumerSettings {
  /** Handlers that run at a time, over all partitions. */
  readonly maxInFlight: number;
  readonly partitionLimits: PartitionLimits;
  readonly retry: RetryPolicy;
  /** The waits between probes while a shared dependency is down. */
  readonly probes: ProbePolicy;
  readonly commitIntervalMs: number;
  /** How long starting handlers may keep the event loop before heartbeats and I/O get a turn. */
  readonly turnMs: number;
  /**
   * After so long without a heartbeat the group gives the member's partitions away. At least the longest block of the
   * event loop plus two heartbeats.
   */
  readonly sessionTimeoutMs: number;
  readonly heartbeatIntervalMs: number;
}

export const consumerDefaults: ConsumerSettings = {
  maxInFlight: 1_000,
  partitionLimits: { maxRecords: 2_000, maxBytes: 8 * 1024 * 1024 },
  retry: { maxAttempts: 5, maxBugAttempts: 2, maxAgeMs: 120_000, firstWaitMs: 500, maxWaitMs: 30_000 },
  probes: { firstWaitMs: 500, maxWaitMs: 10_000 },
  commitIntervalMs: 250,
  turnMs: 10,
  sessionTimeoutMs: 6_000,
  heartbeatIntervalMs: 1_000,
};
