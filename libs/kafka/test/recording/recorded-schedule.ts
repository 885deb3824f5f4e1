/** A record's place: `partition@offset`. */
export type Place = string;

/** How the handler of a record ended. */
export type Ending = 'done' | 'later' | 'poison' | 'aborted';

/** What happened to a runtime. */
export type Input =
  | { readonly in: 'assigned'; readonly partitions: readonly number[] }
  | { readonly in: 'positions'; readonly positions: readonly RecordedPosition[] }
  | { readonly in: 'revoking' | 'lost' }
  | {
      readonly in: 'batch';
      readonly partition: number;
      readonly records: readonly (readonly [offset: number, key: string, value: string])[];
      readonly lastOffset: number;
      readonly endOffset: number;
    }
  /** A timer, by what it is for and which one of those it is. */
  | { readonly in: 'timer'; readonly name: string }
  /** The answer to a commit, by its number. */
  | { readonly in: 'answer'; readonly commit: number; readonly isAccepted: boolean }
  | { readonly in: 'end'; readonly of: Place; readonly how: Ending }
  /** The dead letter of a record was acknowledged. */
  | { readonly in: 'buried'; readonly of: Place }
  | { readonly in: 'stop'; readonly deadlineMs: number };

/** What it did. */
export type Output =
  | { readonly out: 'start'; readonly of: Place; readonly attempt: number }
  | { readonly out: 'commit'; readonly positions: readonly RecordedCommit[] };

export type RecordedPosition = readonly [
  partition: number,
  offset: number,
  committed: number | null,
  metadata: string,
  endOffset: number,
];
export type RecordedCommit = readonly [partition: number, offset: number, metadata: string];

/** `at`: milliseconds since the process began. */
export type RecordedEvent = (Input & { readonly at: number }) | Output;

/** One process that was a member of the group, until it ended, however. */
export interface RecordedMember {
  readonly name: string;
  /** Of its random numbers. */
  readonly seed: number;
  readonly events: readonly RecordedEvent[];
}

/** What the members of one group went through on a real broker. */
export interface RecordedSchedule {
  readonly recordedOn: string;
  readonly members: readonly RecordedMember[];
}

/** The offsets and metadata that a member committed, per partition and in their order. */
export function commitsOf({ events }: Pick<RecordedMember, 'events'>): Record<number, [number, string][]> {
  const commits: Record<number, [number, string][]> = {};
  for (const event of events) {
    if (!('out' in event) || event.out !== 'commit') continue;
    for (const [partition, offset, metadata] of event.positions) (commits[partition] ??= []).push([offset, metadata]);
  }
  return commits;
}

/** The records that a member began to handle, per partition and in their order, each with its attempt. */
export function startsOf({ events }: Pick<RecordedMember, 'events'>): Record<number, string[]> {
  const starts: Record<number, string[]> = {};
  for (const event of events) {
    if (!('out' in event) || event.out !== 'start') continue;
    const partition = Number(event.of.split('@')[0]);
    (starts[partition] ??= []).push(`${event.of} #${event.attempt}`);
  }
  return starts;
}
