import { hashApiKey, type Access } from '@anabranch/database/access';

interface ApiKeysOptions {
  /** Looks a key up by its hash; null when it is unknown or revoked. */
  find(keySha256: string): Promise<Access | null>;
  /** How long an answer counts, also the answer "unknown": a revoked key works for at most so long. */
  ttlMs: number;
  maxEntries?: number;
  /** Milliseconds on a clock that never goes back. */
  now?: () => number;
}

/** Whose key this is; null when it is nobody's. Throws what the look-up throws. */
export type ApiKeys = (key: string) => Promise<Access | null>;

interface Entry {
  access: Promise<Access | null>;
  until: number;
}

/** Remembers the answers for a few seconds, so that Postgres is not asked for each request. */
export function createApiKeys({
  find,
  ttlMs,
  maxEntries = 10_000,
  now = () => performance.now(),
}: ApiKeysOptions): ApiKeys {
  const entries = new Map<string, Entry>();

  const lookUp = (hash: string): Promise<Access | null> => {
    const access = find(hash);
    entries.delete(hash);
    entries.set(hash, { access, until: now() + ttlMs });
    // A failure is no answer: the next request asks again.
    access.catch(() => entries.delete(hash));
    const oldest = entries.keys().next();
    if (entries.size > maxEntries && !oldest.done) entries.delete(oldest.value);
    return access;
  };

  return (key) => {
    const hash = hashApiKey(key);
    const entry = entries.get(hash);
    return entry && entry.until > now() ? entry.access : lookUp(hash);
  };
}
