import type { BrokerRecord } from '../../../src/broker-port.js';

/** A broken promise. The invariant's name is what mutants are reported under. */
export interface Violation {
  readonly invariant: string;
  readonly what: string;
}

/** Enters a broken promise. */
export type Note = (invariant: string, what: string) => void;

/** How a place in the log is named. */
export function placeOf({ topic, partition, offset }: Pick<BrokerRecord, 'topic' | 'partition' | 'offset'>): string {
  return `${topic}/${partition}@${offset}`;
}
