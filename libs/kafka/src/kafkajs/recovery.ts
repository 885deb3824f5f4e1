import { createRequire } from 'node:module';
import { retriableAfterOutage } from './errors.js';

// What an outage of the broker does to a consumer depends on the request that it hits. For some of them kafkajs gives up, or
// goes on without being a member; with these the consumer comes back from any of them.

const require = createRequire(import.meta.url);

type OnCrash = (error: Error) => Promise<void>;
interface Runner {
  onCrash: OnCrash;
}
interface ConsumerGroup {
  /** When the last heartbeat was sent, by the wall clock. */
  lastRequest: number;
  joinAndSync(): Promise<void>;
  heartbeat(options: { interval: number }): Promise<void>;
}
type ClassOf<T> = { readonly prototype: T };

/** Lets a consumer recover from every outage. */
export function installRecovery(): void {
  restartAfterOutages(require('kafkajs/src/consumer/runner') as ClassOf<Runner>);
  joinUntilJoined(require('kafkajs/src/consumer/consumerGroup') as ClassOf<ConsumerGroup>);
}

/**
 * After an error that can be tried again kafkajs restarts the consumer, and after any other it gives up. It counts some of
 * what an outage causes among the others: that the coordinator was not found, or that a connection was not there.
 */
function restartAfterOutages({ prototype }: ClassOf<Runner>): void {
  const handlers = new WeakMap<Runner, OnCrash>();
  Object.defineProperty(prototype, 'onCrash', {
    get(this: Runner) {
      return handlers.get(this);
    },
    set(this: Runner, restartOrGiveUp: OnCrash) {
      handlers.set(this, (error) => restartOrGiveUp(retriableAfterOutage(error)));
    },
  });
}

/**
 * When joining again fails, kafkajs goes on fetching what it had. It has no member id any more if the group had forgotten it,
 * sends no heartbeat without one, and so would never learn that it is no member: its commits would be refused for ever.
 */
function joinUntilJoined({ prototype }: ClassOf<ConsumerGroup>): void {
  const { joinAndSync, heartbeat } = prototype;
  const failed = new WeakSet<ConsumerGroup>();

  prototype.joinAndSync = async function (this: ConsumerGroup) {
    failed.delete(this);
    try {
      await joinAndSync.call(this);
    } catch (error) {
      failed.add(this);
      throw error;
    }
  };

  prototype.heartbeat = async function (this: ConsumerGroup, options: { interval: number }) {
    // The answer of a broker that makes kafkajs join.
    if (failed.has(this)) throw Object.assign(new Error('not joined yet'), { type: 'REBALANCE_IN_PROGRESS' });
    // A clock that was set back by an hour would put the next heartbeat off for that hour, and end the membership.
    if (this.lastRequest > Date.now()) this.lastRequest = 0;
    await heartbeat.call(this, options);
  };
}
