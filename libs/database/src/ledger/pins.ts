import { failureCodes, Refused } from '@anabranch/failures';

/** How a run is done: of each run the first pin holds. */
export interface Pin {
  /** Plain JSON, as the first one who began with the run said. */
  readonly choice: unknown;
  /** The number of the purchase: raised by a run that buys anew, kept by the runs after it. */
  readonly purchase: number;
}

/** A run was begun with another pin than its claim says: what it asks is to be made anew, by this one. */
export class PinnedOtherwise extends Error {
  override readonly name = 'PinnedOtherwise';

  constructor(readonly pin: Pin) {
    super('The run was begun with another pin.');
  }
}

/**
 * Why nothing may be bought for a run any more. A job that is settled so is not changed by a refusal; one that a newer
 * revision has overtaken settles by it.
 */
export type RefusalCode = 'SUPERSEDED' | 'JOB_CLOSED' | 'NOT_REQUESTED';

export function refused(code: RefusalCode): Refused {
  return new Refused(code, failureCodes[code].text);
}
