import type { BrokerListener, BrokerPort, BrokerRecord, CommitPosition, StopOptions } from '../../src/broker-port.js';
import { systemClock, type Clock } from '../../src/clock.js';
import { placeOf, TimerNames, type MemberOptions } from './member-runtime.js';
import type { Input, RecordedEvent } from './recorded-schedule.js';

/**
 * Writes down all that happens to a runtime, and what it does: what its client tells it, its timers, the answers to its
 * commits, the ends of its handlers. For the runtime time stands still between two of these, as it does in a replay.
 */
export class Recorder {
  private readonly startedAt = performance.now();
  private at = 0;
  private commits = 0;

  constructor(private readonly write: (event: RecordedEvent) => void) {}

  /** Something happens to the runtime now. */
  take(input: Input, happen: () => void): void {
    this.at = Math.round(performance.now() - this.startedAt);
    this.write({ ...input, at: this.at });
    happen();
  }

  /** The process's clock, as the runtime sees it. */
  get clock(): Clock {
    const names = new TimerNames();
    const named = (what: number | 'soon', callback: () => void) => {
      const name = names.next(what);
      return () => this.take({ in: 'timer', name }, callback);
    };
    return {
      now: () => this.at,
      after: (ms, callback) => systemClock.after(ms, named(ms, callback)),
      soon: (callback) => systemClock.soon(named('soon', callback)),
    };
  }

  /** A client that is watched. */
  broker(inner: BrokerPort): BrokerPort {
    return {
      fetchedAt: undefined,
      start: (listener) => inner.start(this.watched(listener)),
      setTopics: (topics) => inner.setTopics(topics),
      pause: (partitions) => inner.pause(partitions),
      resume: (partitions) => inner.resume(partitions),
      commit: (positions) => this.commit(inner, positions),
      stop: (deadlineMs: number, options?: StopOptions) => inner.stop(deadlineMs, options),
    };
  }

  /** A handler, or what buries a record, that is watched. */
  handling({ handle, bury }: Pick<MemberOptions, 'handle' | 'bury'>): Pick<MemberOptions, 'handle' | 'bury'> {
    return {
      handle: async (record, attempt, signal) => {
        this.write({ out: 'start', of: placeOf(record), attempt });
        const how = await handle(record, attempt, signal);
        return this.resolved({ in: 'end', of: placeOf(record), how }, how);
      },
      bury: async (record) => {
        await bury(record);
        await this.resolved({ in: 'buried', of: placeOf(record) }, undefined);
      },
    };
  }

  private resolved<T>(input: Input, value: T): Promise<T> {
    return new Promise((resolve) => this.take(input, () => resolve(value)));
  }

  private watched(listener: BrokerListener): BrokerListener {
    return {
      onAssigned: (partitions) =>
        this.take({ in: 'assigned', partitions: partitions.map(({ partition }) => partition) }, () =>
          listener.onAssigned(partitions),
        ),
      onPositions: (positions) =>
        this.take(
          {
            in: 'positions',
            positions: positions.map(({ partition, offset, committed, metadata = '', endOffset }) => [
              partition,
              offset,
              committed ?? null,
              metadata,
              endOffset,
            ]),
          },
          () => listener.onPositions(positions),
        ),
      onRevoking: () => this.take({ in: 'revoking' }, () => listener.onRevoking()),
      onLost: () => this.take({ in: 'lost' }, () => listener.onLost()),
      onBatch: (batch) => {
        const { partition, records, lastOffset, endOffset } = batch;
        this.take({ in: 'batch', partition, records: records.map(asText), lastOffset, endOffset }, () =>
          listener.onBatch(batch),
        );
      },
      onFatal: (error) => listener.onFatal(error),
    };
  }

  private async commit(inner: BrokerPort, positions: readonly CommitPosition[]): Promise<void> {
    const commit = ++this.commits;
    const written = positions.map(({ partition, offset, metadata = '' }) => [partition, offset, metadata] as const);
    this.write({ out: 'commit', positions: written });
    const answer = await inner.commit(positions).then(
      () => ({ isAccepted: true, error: undefined }),
      (error: unknown) => ({ isAccepted: false, error }),
    );
    await this.resolved({ in: 'answer', commit, isAccepted: answer.isAccepted }, undefined);
    if (!answer.isAccepted) throw answer.error;
  }
}

function asText({ offset, key, value }: BrokerRecord): [number, string, string] {
  return [offset, String(key), String(value)];
}
