// What a tenant may send, and what all may: the limits by their names in the API, and how they are told.
import { AcceptanceLimitReached } from '@anabranch/database/limits';
import { Counter, type Registry } from 'prom-client';
import { Problem } from '../http/problem.js';

/** A limit's name, in problems and metrics. */
export type LimitName = 'posts-per-second' | 'body-bytes' | 'unsettled-jobs' | 'waiting-events';

/** Told whenever a limit has refused a post. */
export type OnLimitReached = (limit: LimitName) => void;

const retrySeconds = { 'unsettled-jobs': 5, 'waiting-events': 10 } as const;

/** Takes one post of the tenant, or throws the problem TENANT_LIMIT_REACHED. */
export type PostRate = (tenantId: string) => void;

interface PostRateOptions {
  /** 0: no limit. */
  perSecond: number;
  onLimitReached: OnLimitReached;
  /** Milliseconds on a clock that never goes back. */
  now?: () => number;
}

/** A tenant's bucket holds what it may send in a second; it is of this process, so several let through as many times more. */
export function createPostRate({
  perSecond,
  onLimitReached,
  now = () => performance.now(),
}: PostRateOptions): PostRate {
  const buckets = new Map<string, { tokens: number; at: number }>();
  const size = Math.max(perSecond, 1);
  return (tenantId) => {
    if (perSecond === 0) return;
    const at = now();
    const bucket = buckets.get(tenantId) ?? { tokens: size, at };
    buckets.set(tenantId, bucket);
    bucket.tokens = Math.min(size, bucket.tokens + ((at - bucket.at) / 1_000) * perSecond);
    bucket.at = at;
    if (bucket.tokens < 1) {
      onLimitReached('posts-per-second');
      const detail = `Your tenant may send ${perSecond} documents a second. Send the same request again later.`;
      throw limitReached('posts-per-second', perSecond, { detail, seconds: (1 - bucket.tokens) / perSecond });
    }
    bucket.tokens -= 1;
  };
}

/** The problem for a limit that the accepting transaction has found; null when the error is about something else. */
export function limitProblemOf(error: unknown, onLimitReached: OnLimitReached): Problem | null {
  if (!(error instanceof AcceptanceLimitReached)) return null;
  const { limit, max } = error;
  onLimitReached(limit === 'unsettledJobs' ? 'unsettled-jobs' : 'waiting-events');
  if (limit === 'unsettledJobs') {
    const detail = `Your tenant has ${max} jobs that are not settled, which is its limit. Send the same request again when some are.`;
    return limitReached('unsettled-jobs', max, { detail, seconds: retrySeconds['unsettled-jobs'] });
  }
  const detail = `Nothing was accepted: ${max} accepted documents wait to be published, because Kafka does not take them, or not fast enough. Send the same request again later.`;
  return new Problem('BACKLOG_FULL', detail, {
    headers: { 'retry-after': String(retrySeconds['waiting-events']) },
    extensions: { limit: 'waiting-events' satisfies LimitName, max },
    cause: error,
  });
}

/** The problem TENANT_LIMIT_REACHED. */
export function limitReached(
  limit: LimitName,
  max: number,
  { detail, seconds }: { detail: string; seconds: number },
): Problem {
  const retryAfter = String(Math.max(1, Math.ceil(seconds)));
  return new Problem('TENANT_LIMIT_REACHED', detail, {
    headers: { 'retry-after': retryAfter },
    extensions: { limit, max },
  });
}

/** Counts the posts that a limit refused. */
export function createLimitCounter(registry: Registry): OnLimitReached {
  const refused = new Counter({
    name: 'anabranch_posts_refused_total',
    help: 'Requests that were refused because a limit was reached, by the limit.',
    labelNames: ['limit'],
    registers: [registry],
  });
  return (limit) => refused.inc({ limit });
}
