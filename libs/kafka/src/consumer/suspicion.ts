import type { OpenOffsets } from './open-offsets.js';

/**
 * What is done with the group: `try` its records; `rest`, so that a process which ends meanwhile is known to end by
 * itself; `bury` its one record; `bury-unread`, because to bury it ended the process, too.
 */
export type Stage = 'try' | 'rest' | 'bury' | 'bury-unread';

/**
 * The records of one partition that may have ended their process: those below `end` that are not finished. They are
 * tried in groups, each a run of the lowest of them, while the process does nothing else.
 *
 * Invariants: only an exit that the process caused itself, while exactly this group was tried, changes the state for the
 * worse; a record is buried only when it was alone in its group so often, and the process outlived a rest after that.
 * With one culprit among n suspects it is known after max(1, ⌈log2 n⌉) + `maxExits` exits, the first included.
 */
export interface Suspicion {
  readonly end: number;
  /** What was tried when the process ended last lies below it: its second half follows on its first. */
  readonly halvedEnd: number;
  /** The group lies below it. */
  readonly groupEnd: number;
  /** Whether the group is one record. */
  readonly isAlone: boolean;
  /** How often the process ended while this record was alone. */
  readonly exits: number;
  readonly stage: Stage;
  /** How long a rest lasts, in milliseconds: as long as the process lived that ended last. 0 in other stages. */
  readonly restMs: number;
  /** The run of the process that tries the group; undefined while nobody does. */
  readonly triedBy?: string | undefined;
}

/** The process does nothing else meanwhile. Longer than any watchdog needs. */
const maxRestMs = 300_000;

export interface OwnExit {
  /** So many exits with one record alone in its group condemn it. */
  readonly maxExits: number;
  /** How long the process lived, in milliseconds. */
  readonly ranMs: number;
  /** Whether nothing but this group can have been running. */
  readonly isCertain: boolean;
}

/** After the first exit: all that is open below `end`, but not more than `maxSuspects`. Undefined when there is nothing. */
export function suspect(open: OpenOffsets, end: number, maxSuspects: number): Suspicion | undefined {
  const suspectsEnd = Math.min(end, open.boundOf(maxSuspects));
  return open.countBelow(suspectsEnd) === 0 ? undefined : inHalves(open, suspectsEnd, suspectsEnd);
}

/** The process ended by its own fault while the group was tried. Undefined when nothing is suspected any more. */
export function afterOwnExit(
  suspicion: Suspicion,
  open: OpenOffsets,
  { maxExits, ranMs, isCertain }: OwnExit,
): Suspicion | undefined {
  const { end, groupEnd, isAlone, exits, stage } = suspicion;
  // Nothing ran: no record is to blame, now or before.
  if (stage === 'rest') return undefined;
  if (open.countBelow(groupEnd) === 0) return afterGroup(suspicion, open);
  if (stage !== 'try') return { ...untried(suspicion), stage: 'bury-unread' };
  if (!isAlone) return inHalves(open, groupEnd, end);
  if (!isCertain) return untried(suspicion);
  const counted = { ...untried(suspicion), exits: exits + 1 };
  return counted.exits < maxExits ? counted : { ...counted, stage: 'rest', restMs: Math.min(ranMs, maxRestMs) };
}

/** The group is finished. The next one, or undefined when it was the last. */
export function afterGroup({ end, halvedEnd }: Suspicion, open: OpenOffsets): Suspicion | undefined {
  const next = open.countBelow(halvedEnd) > 0 ? halvedEnd : end;
  return open.countBelow(next) === 0 ? undefined : group(open, { end, halvedEnd: next, groupEnd: next });
}

/** The process rested for as long as it had lived, and still lives: the record is the culprit. */
export function afterRest(suspicion: Suspicion): Suspicion {
  return { ...untried(suspicion), stage: 'bury', restMs: 0 };
}

/** This run of the process tries the group from here on. */
export function triedBy(suspicion: Suspicion, run: string): Suspicion {
  return { ...suspicion, triedBy: run };
}

/** Nobody tries the group. */
export function untried(suspicion: Suspicion): Suspicion {
  return { ...suspicion, triedBy: undefined };
}

/** What the log does not have any more, because it was cut, is no suspect: nobody could ever finish it. */
export function withinLog(suspicion: Suspicion, open: OpenOffsets, logEnd: number): Suspicion | undefined {
  const { end, halvedEnd, groupEnd } = suspicion;
  if (end <= logEnd) return suspicion;
  const ends = { halvedEnd: Math.min(halvedEnd, logEnd), groupEnd: Math.min(groupEnd, logEnd) };
  const within = { ...suspicion, ...ends, end: logEnd };
  return open.countBelow(within.groupEnd) > 0 ? within : afterGroup(within, open);
}

/** How a record is to be buried, if it is. */
export function burialOf(suspicion: Suspicion | undefined, offset: number): 'bury' | 'bury-unread' | undefined {
  if (suspicion === undefined || offset >= suspicion.groupEnd) return undefined;
  return suspicion.stage === 'bury' || suspicion.stage === 'bury-unread' ? suspicion.stage : undefined;
}

function inHalves(open: OpenOffsets, halvedEnd: number, end: number): Suspicion {
  const half = open.boundOf(Math.ceil(open.countBelow(halvedEnd) / 2));
  return group(open, { end, halvedEnd, groupEnd: half });
}

function group(open: OpenOffsets, ends: Pick<Suspicion, 'end' | 'halvedEnd' | 'groupEnd'>): Suspicion {
  return { ...ends, isAlone: open.countBelow(ends.groupEnd) === 1, exits: 0, stage: 'try', restMs: 0 };
}
