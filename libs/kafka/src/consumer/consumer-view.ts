import type { BrokerPort } from '../broker-port.js';
import type { Clock } from '../clock.js';
import type { Assignment } from './assignment.js';
import type { CommitLoop } from './commit-loop.js';
import type { BreakerSample, ConsumerSample } from './consumer-gauges.js';
import type { Dispatcher } from './dispatcher.js';
import type { FlowControl } from './flow-control.js';
import type { Intake } from './intake.js';
import type { PartitionEpoch } from './partition-epoch.js';
import type { SuspectTrial } from './suspect-trial.js';
import { progressFaults, type ProgressLimits } from './progress.js';

/** Whether the consumer does its work, and if not, why. */
export interface ConsumerHealth {
  readonly ready: boolean;
  readonly reasons: readonly string[];
}

/** Where a consumer is between its start and its end. `starting` also when it lost its place and comes back. */
export type ConsumerState = 'starting' | 'running' | 'draining' | 'stopped' | 'failed';

/** What a consumer is made of, as far as it shows from outside. */
export interface ConsumerParts {
  readonly assignment: Assignment;
  readonly intakes: ReadonlyMap<PartitionEpoch, Intake>;
  readonly dispatcher: Dispatcher;
  readonly flow: FlowControl;
  readonly commits: CommitLoop;
  readonly trial: SuspectTrial;
  readonly broker: Pick<BrokerPort, 'fetchedAt'>;
  readonly clock: Clock;
  readonly limits: ProgressLimits;
}

/** Why a consumer in this state is not ready. */
const stateReasons = {
  starting: 'the consumer is not a member of its group',
  draining: 'the consumer is stopping',
  stopped: 'the consumer is stopped',
  failed: 'the consumer has failed',
};

/** Whether the consumer takes work and does it. */
export function healthOf(parts: ConsumerParts, state: ConsumerState, since: number | undefined): ConsumerHealth {
  const { reasons } = progressOf(parts, state, since);
  return asHealth([...waits(parts, state), ...reasons]);
}

/** Whether it gets on with what it has, so that a restart would not help. */
export function progressOf(parts: ConsumerParts, state: ConsumerState, since: number | undefined): ConsumerHealth {
  const { dispatcher, commits, broker, clock, limits } = parts;
  const isAtWork = state === 'running' || state === 'starting';
  const membership = isAtWork && since !== undefined ? { isMember: state === 'running', since } : undefined;
  const { oldestStartAt } = dispatcher;
  const { ageMs: commitAgeMs } = commits;
  const { fetchedAt } = broker;
  const sample = { now: clock.now(), oldestStartAt, membership, fetchedAt, commitAgeMs };
  return asHealth([...progressFaults(limits, sample)]);
}

/** What the gauges show. */
export function sampleOf(parts: ConsumerParts): ConsumerSample {
  const { dispatcher, flow, commits, trial, assignment, broker, clock } = parts;
  const ageOf = (at: number | undefined) => (at === undefined ? 0 : Math.max(0, clock.now() - at));
  return {
    inFlight: dispatcher.inFlight,
    oldestInFlightMs: ageOf(dispatcher.oldestStartAt),
    fetchAgeMs: ageOf(broker.fetchedAt),
    pausedPartitions: flow.pausedCount,
    commitAgeMs: commits.ageMs,
    intakeIsOpen: dispatcher.closedBy === undefined,
    suspects: trial.suspects,
    breakers: [...breakersOf(parts)],
    partitions: [...assignment].map(({ topic, partition, lag, window, uncarried }) => ({
      topic,
      partition,
      lag,
      windowRecords: window.size,
      uncarriedRecords: uncarried,
    })),
  };
}

function* waits({ dispatcher, intakes }: ConsumerParts, state: ConsumerState): Iterable<string> {
  if (state !== 'running') yield stateReasons[state];
  const closed = dispatcher.closedBy;
  if (closed !== undefined) yield `${closed.dependency} is down since ${new Date(closed.since).toISOString()}`;
  for (const [epoch, { stall }] of intakes) {
    if (stall !== undefined) yield `${epoch.lane} waits for the ${stall.dependency}`;
  }
}

function* breakersOf({ dispatcher, intakes }: ConsumerParts): Iterable<BreakerSample> {
  const { closedBy, isProbing } = dispatcher;
  if (closedBy !== undefined) yield { dependency: closedBy.dependency, isProbing };
  for (const { stall } of intakes.values()) {
    if (stall !== undefined) yield { dependency: stall.dependency, isProbing: false };
  }
}

function asHealth(reasons: readonly string[]): ConsumerHealth {
  return { ready: reasons.length === 0, reasons };
}
