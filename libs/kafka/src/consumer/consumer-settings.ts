import { StopService } from '@anabranch/failures';
import type { ProbePolicy } from './intake-pause.js';
import type { PartitionLimits } from './partition-epoch.js';
import type { ProgressLimits } from './progress.js';
import type { RetryPolicy } from './retry-schedule.js';

/** How a consumer works; every value has a default. */
export interface ConsumerSettings {
  /** Handlers that run at a time, over all partitions. */
  readonly maxInFlight: number;
  readonly partitionLimits: PartitionLimits;
  readonly retry: RetryPolicy;
  /** So often the process may end by its own fault while it works on one record alone; then that is a dead letter. */
  readonly maxOwnExits: number;
  /** The waits between probes while a shared dependency is down. */
  readonly probes: ProbePolicy;
  readonly commitIntervalMs: number;
  /** How long starting handlers may keep the event loop before heartbeats and I/O get a turn. */
  readonly turnMs: number;
  /** What may stand still for how long before the process has to be restarted. */
  readonly progress: ProgressLimits;
  /**
   * After so long without a heartbeat the group gives the member's partitions away. At least the longest block of the
   * event loop plus two heartbeats.
   */
  readonly sessionTimeoutMs: number;
  readonly heartbeatIntervalMs: number;
  /**
   * Makes the member a static one: a restart under the same id within the session gets its partitions back without a
   * rebalance. Stable, one per replica; a process that joins under an id in use takes its seat. Dynamic when not given.
   */
  readonly instanceId?: string;
  /**
   * Gives partition n of every topic to the same member of the group, so that one process handles all topics of a key. The
   * topics must have the same number of partitions. Otherwise topics are distributed each for itself.
   */
  readonly coPartitioned: boolean;
  /** Whether to go on when records were removed from the log before this group had handled them. */
  readonly whenExpired: 'stop' | 'continue';
}

export const consumerDefaults: ConsumerSettings = {
  maxInFlight: 1_000,
  partitionLimits: { maxRecords: 2_000, maxBytes: 8 * 1024 * 1024 },
  retry: { maxAttempts: 5, maxBugAttempts: 2, maxAgeMs: 120_000, firstWaitMs: 500, maxWaitMs: 30_000 },
  maxOwnExits: 3,
  probes: { firstWaitMs: 500, maxWaitMs: 10_000 },
  commitIntervalMs: 250,
  turnMs: 10,
  progress: {
    maxHandlerMs: 15 * 60_000,
    maxFetchSilenceMs: 3 * 60_000,
    maxCommitAgeMs: 3 * 60_000,
    maxAbsenceMs: 15 * 60_000,
  },
  sessionTimeoutMs: 6_000,
  heartbeatIntervalMs: 1_000,
  coPartitioned: false,
  whenExpired: 'stop',
};

/** A session must outlast two heartbeats that come late. */
export const heartbeatsPerSession = 3;

/**
 * The defaults under what is given. Partitions may hold twice what may be in flight, unless their limit is given.
 * @throws StopService that names every two settings which contradict each other
 */
export function resolveSettings(given: Partial<ConsumerSettings> = {}): ConsumerSettings {
  const { maxInFlight = consumerDefaults.maxInFlight } = given;
  const { maxRecords, maxBytes } = consumerDefaults.partitionLimits;
  const partitionLimits = { maxRecords: Math.max(maxRecords, 2 * maxInFlight), maxBytes };
  const settings = { ...consumerDefaults, partitionLimits, ...given };
  const faults = [...contradictions(settings)];
  if (faults.length > 0) {
    throw new StopService(`The consumer’s settings contradict each other: ${faults.join('; ')}.`, {
      code: 'CONFIGURATION',
    });
  }
  return settings;
}

function* contradictions(settings: ConsumerSettings): Iterable<string> {
  const { maxInFlight, partitionLimits, sessionTimeoutMs, heartbeatIntervalMs, retry } = settings;
  const { progress, commitIntervalMs, maxOwnExits } = settings;
  if (maxInFlight < 1) yield `maxInFlight (${maxInFlight}) must be at least 1`;
  if (maxOwnExits < 1) yield `maxOwnExits (${maxOwnExits}) must be at least 1`;
  if (sessionTimeoutMs < heartbeatsPerSession * heartbeatIntervalMs) {
    yield `sessionTimeoutMs (${sessionTimeoutMs}) must be at least ${heartbeatsPerSession} × heartbeatIntervalMs (${heartbeatIntervalMs})`;
  }
  if (partitionLimits.maxRecords < maxInFlight) {
    yield `partitionLimits.maxRecords (${partitionLimits.maxRecords}) must be at least maxInFlight (${maxInFlight}), or one partition could never use it`;
  }
  if (progress.maxFetchSilenceMs <= sessionTimeoutMs) {
    yield `progress.maxFetchSilenceMs (${progress.maxFetchSilenceMs}) must be above sessionTimeoutMs (${sessionTimeoutMs}), for which a rebalance may wait`;
  }
  if (progress.maxCommitAgeMs <= commitIntervalMs) {
    yield `progress.maxCommitAgeMs (${progress.maxCommitAgeMs}) must be above commitIntervalMs (${commitIntervalMs})`;
  }
  if (retry.firstWaitMs > retry.maxWaitMs) {
    yield `retry.firstWaitMs (${retry.firstWaitMs}) must not be above retry.maxWaitMs (${retry.maxWaitMs})`;
  }
}
