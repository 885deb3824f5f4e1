/**
 * How long a part of the consumer may stand still before only a restart helps. All in milliseconds, all generous: a slow
 * handler, an idle topic, an outage and a rebalance are no reason to restart.
 */
export interface ProgressLimits {
  /** A try of one record: what takes longer hangs. Waits in its key's queue and parked time do not count. */
  readonly maxHandlerMs: number;
  /** Between two answered fetches of a member; also an idle or paused one fetches all the time, to send heartbeats. */
  readonly maxFetchSilenceMs: number;
  /** How long finished records of a member wait for a commit. */
  readonly maxCommitAgeMs: number;
  /** Without a place in the group. A broker's outage may take long, and a restart in it costs nothing. */
  readonly maxAbsenceMs: number;
}

export interface ProgressSample {
  readonly now: number;
  /** When the oldest try that runs now began. */
  readonly oldestStartAt: number | undefined;
  /** When the consumer last became a member of its group or ceased to be one; undefined when it is not to work. */
  readonly membership: { readonly isMember: boolean; readonly since: number } | undefined;
  /** When the client last had an answer to a fetch. */
  readonly fetchedAt: number | undefined;
  readonly commitAgeMs: number;
}

/** What stands still for longer than it may, each with the setting that says so. */
export function* progressFaults(limits: ProgressLimits, sample: ProgressSample): Iterable<string> {
  const { maxHandlerMs, maxFetchSilenceMs, maxCommitAgeMs, maxAbsenceMs } = limits;
  const { now, oldestStartAt = now, membership, fetchedAt, commitAgeMs } = sample;
  if (membership === undefined) return;
  const handlerMs = now - oldestStartAt;
  if (handlerMs > maxHandlerMs) yield fault('a handler runs for', handlerMs, { maxHandlerMs });
  const { isMember, since } = membership;
  const absenceMs = now - since;
  if (!isMember && absenceMs > maxAbsenceMs) yield fault('no place in the group for', absenceMs, { maxAbsenceMs });
  if (!isMember) return;
  const silenceMs = now - Math.max(since, fetchedAt ?? since);
  if (silenceMs > maxFetchSilenceMs) yield fault('nothing was fetched for', silenceMs, { maxFetchSilenceMs });
  if (commitAgeMs > maxCommitAgeMs) yield fault('nothing was committed for', commitAgeMs, { maxCommitAgeMs });
}

function fault(what: string, ms: number, limit: Partial<ProgressLimits>): string {
  const [[name, limitMs] = []] = Object.entries(limit);
  return `${what} ${Math.round(ms / 1000)} s, longer than progress.${name} (${limitMs}) allows`;
}
