interface KnownAnalysesOptions {
  /** The names in the catalogue. */
  list(): Promise<readonly string[]>;
  /** How long a list counts. */
  ttlMs: number;
  /** Milliseconds on a clock that never goes back. */
  now?: () => number;
}

/**
 * The catalogue's names, remembered for a few seconds. Only to answer a wrong name well: what counts is what the accepting
 * transaction reads.
 */
export function createKnownAnalyses({ list, ttlMs, now = () => performance.now() }: KnownAnalysesOptions) {
  let cached: { names: Promise<readonly string[]>; until: number } | undefined;
  return (): Promise<readonly string[]> => {
    if (cached && cached.until > now()) return cached.names;
    const entry = { names: list(), until: now() + ttlMs };
    cached = entry;
    entry.names.catch(() => {
      if (cached === entry) cached = undefined;
    });
    return entry.names;
  };
}
