const integer = /^\d{1,12}$/;
// Only what HTTP allows, and begins with a day's name: `Date.parse` reads nearly anything as a date.
const httpDate = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)/;

/**
 * How long a server asks to be left alone, in milliseconds: `retry-after-ms`, or `Retry-After` in seconds or as a date
 * (RFC 9110 §10.2.3). In full, however long; null when it does not say.
 * @param now epoch milliseconds
 */
export function retryAfterMs(headers: Headers, now: number): number | null {
  const milliseconds = headers.get('retry-after-ms')?.trim() ?? '';
  if (integer.test(milliseconds)) return Number(milliseconds);
  const value = headers.get('retry-after')?.trim() ?? '';
  if (integer.test(value)) return Number(value) * 1_000;
  const date = httpDate.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}
