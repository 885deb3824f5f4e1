import type { EncodableOf, EventTopic } from '@anabranch/contracts';
import type { OutgoingRecord } from './send-port.js';

export interface PublishOptions {
  /** Few, because they cost: `traceparent`, and `tracestate` when there is one. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A record whose bytes are sent as they are. Without a partition its key decides, and without a key chance. */
export interface RawRecord extends OutgoingRecord {
  readonly partition?: number;
}

/** Publishes events, and bytes as they are. Per partition, records lie in the log in the order of the calls. */
export interface EventProducer {
  /**
   * Checks that these topics and their schemas are there, so that nothing has to be asked when the first event comes.
   * @throws StopService with everything that is missing, DependencyUnavailable when nobody can be asked
   */
  start(topics: readonly EventTopic[]): Promise<void>;
  /**
   * Publishes an event, keyed by its document; resolves when all in-sync replicas have it, and waits while too much waits
   * already. A rejected send means unknown, not unwritten; duplicates are harmless, because ids are deterministic.
   * @throws PoisonMessage INVALID_EVENT or RESULT_TOO_LARGE, DependencyUnavailable, StopService when the topic is missing
   */
  publish<T extends EventTopic>(topic: T, event: EncodableOf<T>, options?: PublishOptions): Promise<void>;
  /**
   * Publishes bytes as they are: dead letters.
   * @throws MissingTopic, DependencyUnavailable, or what the broker says against the record
   */
  publishRaw(topic: string, record: RawRecord): Promise<void>;
  /** Sends what waits and closes the connections, within `deadlineMs` (5 s). */
  stop(deadlineMs?: number): Promise<void>;
}
