import { RetryLater } from '@anabranch/failures';

export interface ExchangeOptions {
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string;
  signal: AbortSignal;
  /** From the first byte sent to the last one received. */
  timeoutMs: number;
  /** Longest body that is read. */
  maxBytes: number;
}

/** An HTTP response, read whole. */
export interface Exchange {
  status: number;
  headers: Headers;
  body: string;
}

const unavailable = (message: string, cause?: unknown): RetryLater =>
  new RetryLater(message, { afterMs: 0, code: 'PROVIDER_UNAVAILABLE', cause });

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** The code of a failed connection, such as ECONNREFUSED; `fetch` wraps it. */
const codeOf = (error: unknown): string => {
  const cause = isObject(error) && 'cause' in error ? error.cause : error;
  const code = isObject(cause) && 'code' in cause ? cause.code : undefined;
  return typeof code === 'string' ? code : 'no connection';
};

async function readBody(response: Response, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw unavailable(`The provider's response is longer than ${maxBytes} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/**
 * Posts JSON and reads the response. Redirects are not followed: they would carry the key to somebody else.
 * @throws RetryLater PROVIDER_UNAVAILABLE when there is no whole response in time; the signal's reason when aborted
 */
export async function exchange(options: ExchangeOptions): Promise<Exchange> {
  const { url, headers, body, signal, timeoutMs, maxBytes } = options;
  signal.throwIfAborted();
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', accept: 'application/json' },
      body,
      redirect: 'manual',
      signal: AbortSignal.any([signal, timeout]),
    });
    return { status: response.status, headers: response.headers, body: await readBody(response, maxBytes) };
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (error instanceof RetryLater) throw error;
    if (timeout.aborted) throw unavailable(`The provider did not answer within ${timeoutMs / 1_000} s.`, error);
    throw unavailable(`The provider cannot be reached, or broke off (${codeOf(error)}).`, error);
  }
}
