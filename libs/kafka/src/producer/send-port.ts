import type { RecordHeader } from '../broker-port.js';
import { remedy } from '../remedy.js';

/** A record on its way to the broker. */
export interface OutgoingRecord {
  readonly key: Buffer | null;
  readonly value: Buffer | null;
  readonly headers: readonly RecordHeader[];
}

/** The broker does not have this topic. */
export class MissingTopic extends Error {
  override readonly name = 'MissingTopic';

  constructor(topic: string, options: ErrorOptions = {}) {
    super(`The topic ${topic} does not exist. ${remedy}`, options);
  }
}

/** What the producer needs from a Kafka client. */
export interface SendPort {
  /** @throws MissingTopic, or DependencyUnavailable when nobody can be asked */
  partitionCount(topic: string): Promise<number>;
  /**
   * Resolves when all in-sync replicas have the records. A rejection means *unknown*, not *not written*.
   * @throws DependencyUnavailable when it gave up on the broker
   */
  send(topic: string, partition: number, records: readonly OutgoingRecord[]): Promise<void>;
  stop(deadlineMs: number): Promise<void>;
}
