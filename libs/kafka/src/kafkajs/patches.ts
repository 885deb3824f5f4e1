import { createRequire } from 'node:module';
import { announceJoins } from './announced-joins.js';
import { installChangingTopics } from './changing-topics.js';
import { askForAddedPartitions } from './dealt-partitions.js';
import { fetchWholeBatches } from './fetch-response.js';
import { GroupMember } from './group-member.js';
import { wakeOnResume } from './paused-fetch.js';
import { acceptEncodedBatches } from './produce-request.js';
import { installRecovery } from './recovery.js';
import { installStartPositions } from './start-positions.js';
import { installStaticMembership } from './static-membership.js';

// kafkajs 2.2.4 is its last release, so what is wrong with it is put right here, in one place. Each patch replaces one
// function of a prototype; the version is checked, because another one may be built differently.

const require = createRequire(import.meta.url);
const expectedVersion = '2.2.4';

interface RequestQueue {
  readonly pending: readonly unknown[];
  scheduleCheckPendingRequests(): void;
  waitForPendingRequests(): Promise<void>;
  rejectAll(error: Error): void;
}
interface Runner {
  readonly running: boolean;
  commitOffsets(offsets: unknown): Promise<void>;
}
interface Connection {
  connect(): Promise<unknown>;
}
interface ErrorClasses {
  readonly KafkaJSConnectionClosedError: new (message: string) => Error;
}
interface ConsumerGroup {
  commitOffsets(offsets: unknown): Promise<void>;
}
type ClassOf<T> = { readonly prototype: T };

/** Longer than any request of ours waits for its answer. */
const disconnectWithinMs = 12_000;

let isPatched = false;

/** Applies all patches, once per process; must run before the first client connects. */
export function patchKafkajs(): void {
  if (isPatched) return;
  const { version } = require('kafkajs/package.json') as { version: string };
  if (version !== expectedVersion)
    throw new Error(`libs/kafka is written for kafkajs ${expectedVersion}, found ${version}.`);
  letIdleQueuesSleep(require('kafkajs/src/network/requestQueue') as ClassOf<RequestQueue>);
  disconnectInTime(require('kafkajs/src/network/requestQueue') as ClassOf<RequestQueue>);
  connectWhileMember(require('kafkajs/src/network/connection') as ClassOf<Connection>);
  commitWhileRunning(require('kafkajs/src/consumer/runner') as ClassOf<Runner>);
  commitOnce(require('kafkajs/src/consumer/consumerGroup') as ClassOf<ConsumerGroup>);
  // Before what counts joins: with other topics a join begins earlier.
  installChangingTopics();
  installRecovery();
  acceptEncodedBatches();
  fetchWholeBatches();
  wakeOnResume();
  installStaticMembership();
  installStartPositions();
  announceJoins();
  askForAddedPartitions();
  isPatched = true;
}

/**
 * With nothing to send, a queue sets a timer in the past, which sets the next one when it fires: a thousand wake-ups a
 * second for each idle connection, and Node's `TimeoutNegativeWarning`. A queue is scheduled anyway when it gets a request.
 */
function letIdleQueuesSleep({ prototype }: ClassOf<RequestQueue>): void {
  const original = prototype.scheduleCheckPendingRequests;
  prototype.scheduleCheckPendingRequests = function (this: RequestQueue) {
    if (this.pending.length > 0) original.call(this);
  };
}

/**
 * A connection that is closed waits for its requests, and those that were never sent wait for ever: a consumer that kafkajs
 * restarts closes all of its connections first, and would never begin again.
 */
function disconnectInTime({ prototype }: ClassOf<RequestQueue>): void {
  const { KafkaJSConnectionClosedError: ConnectionClosedError } = require('kafkajs/src/errors') as ErrorClasses;
  const original = prototype.waitForPendingRequests;
  prototype.waitForPendingRequests = async function (this: RequestQueue) {
    const giveUp = () => this.rejectAll(new ConnectionClosedError('Closed connection'));
    const timer = setTimeout(giveUp, disconnectWithinMs).unref();
    await original.call(this);
    clearTimeout(timer);
  };
}

/**
 * A consumer that is stopped while it connects or joins goes on with that for minutes, and then consumes. Its next connection
 * is refused, in a way that is no reason to try again.
 */
function connectWhileMember({ prototype }: ClassOf<Connection>): void {
  const original = prototype.connect;
  prototype.connect = function (this: Connection) {
    if (GroupMember.calling()?.hasLeft !== true) return original.call(this);
    return Promise.reject(Object.assign(new Error('The consumer was stopped.'), { retriable: false }));
  };
}

/** While kafkajs stops or restarts a consumer, a commit resolves without having been sent. */
function commitWhileRunning({ prototype }: ClassOf<Runner>): void {
  const original = prototype.commitOffsets;
  prototype.commitOffsets = async function (this: Runner, offsets: unknown) {
    await original.call(this, offsets);
    if (!this.running) throw new Error('The client has stopped: whether this was committed is not known.');
  };
}

/**
 * kafkajs repeats a failed commit. When a rejoin comes in between, the repetition carries the *new* generation, so the
 * broker takes offsets of partitions that belong to somebody else now. A commit is tried once; our loop makes the next.
 */
function commitOnce({ prototype }: ClassOf<ConsumerGroup>): void {
  const original = prototype.commitOffsets;
  prototype.commitOffsets = async function (this: ConsumerGroup, offsets: unknown) {
    try {
      await original.call(this, offsets);
    } catch (error) {
      throw Object.assign(error as Error, { retriable: false });
    }
  };
}
