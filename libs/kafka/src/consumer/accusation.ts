import type { OwnExitNotice } from './launch.js';
import type { PartitionEpoch } from './partition-epoch.js';
import { afterOwnExit, suspect } from './suspicion.js';

export interface AccusationRules {
  readonly maxExits: number;
  /** Of one partition, after an exit that no group explains. */
  readonly maxSuspects: number;
  /** Whether these are the first partitions of the process: later ones were others' meanwhile. */
  readonly isFirst: boolean;
}

/**
 * Says of the partitions that a process is given which of their records may have ended the run before it. If that run
 * tried a group, the group is to blame; else everything that can have been in flight.
 * @returns false when it rested: then no record is to blame, and none is suspected any more
 */
export function accuse(
  epochs: readonly PartitionEpoch[],
  { run, ranMs }: OwnExitNotice,
  { maxExits, maxSuspects, isFirst }: AccusationRules,
): boolean {
  const tried = epochs.filter(({ suspicion }) => suspicion?.triedBy === run);
  const hasRested = tried.some(({ suspicion }) => suspicion?.stage === 'rest');
  const isCertain = tried.length === 1;
  for (const epoch of epochs) {
    const { suspicion, open, endOffset } = epoch;
    const isTried = suspicion?.triedBy === run;
    if (hasRested && (isFirst || isTried)) epoch.suspicion = undefined;
    else if (isTried) {
      epoch.suspicion = afterOwnExit(suspicion, open, { maxExits, ranMs, isCertain });
    } else if (suspicion === undefined && tried.length === 0 && isFirst) {
      epoch.suspicion = suspect(open, endOffset ?? 0, maxSuspects);
    }
  }
  return !hasRested;
}
