import type {
  BrokerListener,
  BrokerPort,
  BrokerRecord,
  CommitPosition,
  TopicPartition,
} from '../../src/broker-port.js';
import type { Clock } from '../../src/clock.js';
import { settled } from '../../src/testing/index.js';
import { createMemberRuntime, placeOf, TimerNames } from './member-runtime.js';
import type { Ending, Input, Output, RecordedMember } from './recorded-schedule.js';

/** What the replayed runtime waits for, by the name under which it happens. */
class Expected<T> {
  private readonly waiting = new Map<string, (value: T) => void>();

  constructor(private readonly what: string) {}

  add(name: string): Promise<T> {
    return new Promise((resolve) => this.waiting.set(name, resolve));
  }

  happen(name: string, value: T): void {
    const resolve = this.waiting.get(name);
    if (resolve === undefined) throw new Error(`The replay differs: ${this.what} ${name} is not what it waits for.`);
    this.waiting.delete(name);
    resolve(value);
  }
}

/**
 * Lets all that happened to a recorded member happen again to a runtime, in virtual time.
 * @returns what it does this time
 * @throws when the recording has something happen that cannot happen this time
 */
export async function replay({ seed, events }: Omit<RecordedMember, 'name'>): Promise<Output[]> {
  const outputs: Output[] = [];
  const ends = new Expected<Ending>('the end of');
  const burials = new Expected<void>('the burial of');
  const answers = new Expected<boolean>('the answer to commit');
  const timers = new Expected<void>('the timer');
  const broker = new ReplayedBroker(outputs, answers);
  let now = 0;
  const runtime = createMemberRuntime({
    seed,
    broker,
    clock: replayedClock(timers, () => now),
    handle: (record, attempt) => {
      outputs.push({ out: 'start', of: placeOf(record), attempt });
      return ends.add(placeOf(record));
    },
    bury: (record) => burials.add(placeOf(record)),
  });
  void runtime.start();
  for (const event of events) {
    if (!('in' in event)) continue;
    now = event.at;
    happen(event);
    await settled();
  }
  return outputs;

  function happen(input: Input): void {
    switch (input.in) {
      case 'timer':
        return timers.happen(input.name, undefined);
      case 'answer':
        return answers.happen(String(input.commit), input.isAccepted);
      case 'end':
        return ends.happen(input.of, input.how);
      case 'buried':
        return burials.happen(input.of, undefined);
      case 'stop':
        return void runtime.stop(input.deadlineMs);
      default:
        return broker.tell(input);
    }
  }
}

class ReplayedBroker implements BrokerPort {
  readonly fetchedAt = undefined;
  private listener: BrokerListener | undefined;
  private commits = 0;

  constructor(
    private readonly outputs: Output[],
    private readonly answers: Expected<boolean>,
  ) {}

  start(listener: BrokerListener): Promise<void> {
    this.listener = listener;
    return Promise.resolve();
  }

  setTopics(): void {}

  pause(): void {}

  resume(): void {}

  async commit(positions: readonly CommitPosition[]): Promise<void> {
    const written = positions.map(({ partition, offset, metadata = '' }) => [partition, offset, metadata] as const);
    this.outputs.push({ out: 'commit', positions: written });
    const isAccepted = await this.answers.add(String(++this.commits));
    if (!isAccepted) throw new Error('refused');
  }

  stop(): Promise<void> {
    return Promise.resolve();
  }

  tell(input: Extract<Input, { in: 'assigned' | 'positions' | 'revoking' | 'lost' | 'batch' }>): void {
    switch (input.in) {
      case 'assigned':
        return this.listener?.onAssigned(input.partitions.map(partitionOf));
      case 'positions':
        return this.listener?.onPositions(
          input.positions.map(([partition, offset, committed, metadata, endOffset]) => ({
            ...partitionOf(partition),
            offset,
            committed: committed ?? undefined,
            metadata,
            endOffset,
          })),
        );
      case 'batch': {
        const { topic, partition } = partitionOf(input.partition);
        const records = input.records.map(([offset, key, value]): BrokerRecord => {
          const bytes = { key: Buffer.from(key), value: Buffer.from(value) };
          return { topic, partition, offset, timestamp: 0, headers: [], ...bytes };
        });
        const { lastOffset, endOffset } = input;
        return void this.listener?.onBatch({ topic, partition, records, lastOffset, endOffset });
      }
      case 'revoking':
        return this.listener?.onRevoking();
      case 'lost':
        return this.listener?.onLost();
    }
  }
}

function replayedClock(timers: Expected<void>, now: () => number): Clock {
  const names = new TimerNames();
  const wait = (what: number | 'soon', callback: () => void) => {
    let isCancelled = false;
    const fire = async (fired: Promise<void>) => {
      await fired;
      if (!isCancelled) callback();
    };
    void fire(timers.add(names.next(what)));
    return () => void (isCancelled = true);
  };
  return { now, after: wait, soon: (callback) => void wait('soon', callback) };
}

function partitionOf(partition: number): TopicPartition {
  return { topic: 'topic', partition };
}
