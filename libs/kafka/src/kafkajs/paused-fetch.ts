import { createRequire } from 'node:module';

// A kafkajs consumer whose partitions are all paused sleeps for as long as a fetch may wait, and a fetch for some of them
// waits so long, too: a partition that is resumed meanwhile is not asked for before. With windows that are worked off in less
// than that, the consumer would stand still for the rest of it.

const require = createRequire(import.meta.url);

interface Assigned {
  readonly partitions: readonly number[];
}
interface ConsumerGroup {
  maxWaitTime: number;
  readonly subscriptionState: { active(): readonly Assigned[]; paused(): readonly Assigned[] };
  fetch(nodeId: string): Promise<unknown>;
  resume(partitions: unknown): void;
}

/** How long a fetch waits for records while another partition is paused, and so may have to be asked for soon. */
const shortWaitMs = 25;

/** Lets a consumer fetch as soon as one of its partitions is resumed. */
export function wakeOnResume(): void {
  const { prototype } = require('kafkajs/src/consumer/consumerGroup') as { readonly prototype: ConsumerGroup };
  const { fetch, resume } = prototype;
  const longWaits = new WeakMap<ConsumerGroup, number>();
  const sleepers = new WeakMap<ConsumerGroup, Set<() => void>>();

  prototype.fetch = async function (this: ConsumerGroup, nodeId: string) {
    const longWaitMs = longWaits.get(this) ?? this.maxWaitTime;
    longWaits.set(this, longWaitMs);
    const { subscriptionState } = this;
    if (isNone(subscriptionState.active())) await sleep(longWaitMs, found(sleepers, this));
    this.maxWaitTime = isNone(subscriptionState.paused()) ? longWaitMs : Math.min(shortWaitMs, longWaitMs);
    return fetch.call(this, nodeId);
  };

  prototype.resume = function (this: ConsumerGroup, partitions: unknown) {
    resume.call(this, partitions);
    for (const wake of found(sleepers, this)) wake();
  };
}

function isNone(assigned: readonly Assigned[]): boolean {
  return assigned.every(({ partitions }) => partitions.length === 0);
}

function found(sleepers: WeakMap<ConsumerGroup, Set<() => void>>, group: ConsumerGroup): Set<() => void> {
  const known = sleepers.get(group) ?? new Set();
  sleepers.set(group, known);
  return known;
}

function sleep(ms: number, sleepers: Set<() => void>): Promise<void> {
  return new Promise((resolve) => {
    const wake = () => {
      clearTimeout(timer);
      sleepers.delete(wake);
      resolve();
    };
    const timer = setTimeout(wake, ms);
    sleepers.add(wake);
  });
}
