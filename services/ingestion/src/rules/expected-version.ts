import { Problem } from '../http/problem.js';

/** The headers of a conditional request (RFC 9110 §13). */
export interface ConditionHeaders {
  ifMatch: string | undefined;
  ifNoneMatch: string | undefined;
}

/** The ETag of a version. */
export function etagOf(version: number): string {
  return `"${version}"`;
}

/**
 * What the caller has seen, from `If-Match: "3"` or `*`, or `If-None-Match: *` for nothing yet; undefined when it does not
 * say. Throws the problem INVALID_REQUEST for any other condition: it must not be ignored in silence.
 */
export function expectedVersionOf({ ifMatch, ifNoneMatch }: ConditionHeaders): number | 'any' | undefined {
  if (ifMatch !== undefined && ifNoneMatch !== undefined) throw unreadable('If-Match');
  if (ifNoneMatch !== undefined) {
    if (ifNoneMatch.trim() !== '*') throw unreadable('If-None-Match');
    return 0;
  }
  if (ifMatch === undefined) return undefined;
  if (ifMatch.trim() === '*') return 'any';
  const version = Number(/^\s*"([1-9]\d{0,8})"\s*$/.exec(ifMatch)?.[1]);
  if (Number.isNaN(version)) throw unreadable('If-Match');
  return version;
}

function unreadable(header: string): Problem {
  const detail = 'Send either If-Match with the ETag that GET answered, or *, or else If-None-Match: *.';
  return new Problem('INVALID_REQUEST', detail, {
    extensions: { errors: [{ field: `header.${header}`, message: 'Is no such condition' }] },
  });
}
