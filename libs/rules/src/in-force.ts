/** A version of rules, and from when it counts. */
export interface TimedVersion {
  /** Rises with each change. */
  version: number;
  effectiveFrom: Date;
}

/**
 * The version in force at a time: the highest one that counts from then or before; null when none does. `versions` are
 * those of one id, in any order.
 * @param at broker timestamp of a job's `document.ingested`, epoch milliseconds (semantics §7)
 */
export function inForceAt<V extends TimedVersion>(versions: readonly V[], at: number): V | null {
  return versions.reduce<V | null>((found, each) => {
    const counts = each.effectiveFrom.getTime() <= at && each.version > (found?.version ?? 0);
    return counts ? each : found;
  }, null);
}
