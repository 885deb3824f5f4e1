import { type KnownFailure, PoisonMessage, RetryLater } from '@anabranch/failures';
import { z } from 'zod';

/** A response that is no completion. */
export interface ProviderError {
  /** HTTP status; for an error that came with status 200, the one that it names. */
  status: number;
  /** What the server asked for; null when nothing. */
  afterMs: number | null;
  /** The body, as far as it is JSON. It may quote the request: it is looked at, and passed on nowhere. */
  body: unknown;
}

/** What to do about it: a failure, or the provider's filter, which is an answer. */
export type Verdict = KnownFailure | 'content-filter';

const quotaAfterMs = 600_000;
const configurationAfterMs = 300_000;
const busyAfterMs = 1_000;

const text = z.coerce.string().catch('');
const detailSchema = z.object({
  code: text,
  type: text,
  message: text,
  innererror: z.object({ code: text }).catch({ code: '' }),
});
type Detail = z.output<typeof detailSchema>;
const noDetail: Detail = { code: '', type: '', message: '', innererror: { code: '' } };

/** `{ error: { … } }`, `{ error: 'text' }`, or the error itself, as servers have it. */
const detailOf = (body: unknown): Detail => {
  const { error } = z.object({ error: z.unknown().optional() }).catch({ error: undefined }).parse(body);
  if (typeof error === 'string') return { ...noDetail, message: error };
  return detailSchema.catch(noDetail).parse(error ?? body);
};

const quotaCode = /^(?:insufficient_|billing_|quota_exceeded|credit|payment_required)/i;
const filterCode = /content_?filter|content_policy|responsibleaipolicy/i;
const contextCode = /context_length|string_above_max_length|request_too_large/i;
const contextMessage =
  /context (?:length|size|window)|maximum (?:context|prompt)|prompt is too long|too many (?:input )?tokens/i;

const retry = (message: string, afterMs: number, code: RetryLater['code']): RetryLater =>
  new RetryLater(message, { afterMs, code });

const later = ({ status, afterMs }: ProviderError): RetryLater => {
  const asked = afterMs ?? busyAfterMs;
  return status === 429
    ? retry('The provider asks to be called less often.', asked, 'RETRY_LATER')
    : retry(`The provider answered with status ${status}.`, asked, 'PROVIDER_UNAVAILABLE');
};

const rejected = ({ status }: ProviderError, { code, type, message, innererror }: Detail): Verdict => {
  if (filterCode.test(`${code} ${type} ${innererror.code}`)) return 'content-filter';
  if (status === 413 || contextCode.test(`${code} ${type}`) || contextMessage.test(message)) {
    return new PoisonMessage('CONTEXT_EXCEEDED', `The provider says that the request is too long (status ${status}).`);
  }
  return new PoisonMessage('MODEL_REQUEST_REJECTED', `The provider rejects the request with status ${status}.`);
};

const isMisconfigured = (status: number): boolean =>
  (status >= 300 && status < 400) || status === 401 || status === 403 || status === 404 || status === 405;

/**
 * What an error of a provider means for who asked (the table is in docs/models.md). Nothing that the provider wrote gets
 * into the failure: it may quote the document.
 */
export function judgeProviderError(error: ProviderError): Verdict {
  const { status, afterMs } = error;
  const detail = detailOf(error.body);
  if (status === 402 || (status === 429 && [detail.code, detail.type].some((name) => quotaCode.test(name)))) {
    return retry('The account with the provider is used up.', Math.max(afterMs ?? 0, quotaAfterMs), 'QUOTA');
  }
  if (filterCode.test(`${detail.code} ${detail.innererror.code}`) && status < 500) return 'content-filter';
  if (isMisconfigured(status)) {
    const message = `The provider does not accept the key, the model or the address (status ${status}).`;
    return retry(message, Math.max(afterMs ?? 0, configurationAfterMs), 'PROVIDER_CONFIGURATION');
  }
  if (status === 408 || status === 409 || status === 425 || status === 429 || status >= 500) return later(error);
  return rejected(error, detail);
}

/** The status that an error in a body of status 200 names, as some gateways send them; 502 when it names none. */
export function statusWithin(error: unknown): number {
  const { code } = z
    .object({ code: z.coerce.number().int().min(400).max(599) })
    .catch({ code: 502 })
    .parse(error);
  return code;
}
