// The header Prefer (RFC 7240 §4.3): how long a client would rather wait for a result than ask for it again.

/** The longest wait, in seconds: proxies on the way give up on a silent response. */
export const waitMaxSeconds = 60;

const wait = /(?:^|,)\s*wait\s*=\s*"?(\d{1,9})"?\s*(?=[,;]|$)/i;

/** The seconds of the first preference `wait`, bounded; 0 without one, or for what is none: a preference is no demand. */
export function preferredWaitSeconds(prefer: string | string[] | undefined): number {
  const [, seconds = '0'] = wait.exec(prefer?.toString() ?? '') ?? [];
  return Math.min(Number(seconds), waitMaxSeconds);
}
