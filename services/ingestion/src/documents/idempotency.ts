// The header Idempotency-Key (draft-ietf-httpapi-idempotency-key-header): what it may be, and what makes two requests one.
import { createHash } from 'node:crypto';
import { keyWithin } from '@anabranch/contracts';
import type { IdempotencyKey } from '@anabranch/database/idempotency';
import { IdempotencyKeyInUse, IdempotencyKeyReused } from '@anabranch/database/idempotency';
import { Problem } from '../http/problem.js';
import type { DocumentRequest } from './document-request.js';

/** The longest key, in characters. */
export const keyMaxLength = 255;

const header = 'Idempotency-Key';
// RFC 8941 §3.3.3, a string; and the bare form that many clients send.
const quoted = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/;
const bare = /^[\x21\x23-\x7e]+$/;

/** The key of a request, with a hash over all that was sent; null without a header. Throws the problem INVALID_REQUEST. */
export function idempotencyOf(value: string | string[] | undefined, request: DocumentRequest): IdempotencyKey | null {
  if (value === undefined) return null;
  return { key: keyOf(value.toString().trim()), requestSha256: requestSha256(request) };
}

function keyOf(value: string): string {
  const key = quoted.exec(value)?.[1]?.replaceAll(/\\(["\\])/g, '$1') ?? (bare.test(value) ? value : '');
  if (key.length > 0 && key.length <= keyMaxLength) return key;
  const rule = `Give it once, as 1 to ${keyMaxLength} printable ASCII characters, best in quotation marks, such as "8e03978e-40d5-43dd-bc93-6894a57f9324".`;
  throw new Problem('INVALID_REQUEST', `Correct the header ${header}. ${rule}`, {
    extensions: { errors: [{ field: `header.${header}`, message: 'Is no such key' }] },
  });
}

/** Over what the request means, so that the order of fields, labels and analyses makes no other request of it. */
function requestSha256({ text, metadata, analyses, ...options }: DocumentRequest): string {
  const labels = Object.entries(metadata).sort(byName);
  const meant = [Object.entries(options).sort(byName), labels, [...new Set(analyses)].sort()];
  return createHash('sha256').update(JSON.stringify(meant)).update('\n').update(text).digest('hex');
}

const byName = ([a]: [string, unknown], [b]: [string, unknown]): number => (a < b ? -1 : a > b ? 1 : 0);

/** The requests with a key that this process is at work on. */
export interface RunningKeys {
  /**
   * Runs the work of a request. While the first one of its key is not answered, a second one is the problem
   * IDEMPOTENCY_KEY_IN_USE; repeats of one that was answered run side by side.
   */
  during<T>(owner: { tenantId: string; idempotency: IdempotencyKey | null }, work: () => Promise<T>): Promise<T>;
}

/**
 * The gate in the accepting transaction holds for all processes, and for its own time. This one says the same from the
 * moment that a body was read: a page or an upload that takes long is not worked on twice.
 */
export function createRunningKeys(
  isAnswered: (key: { tenantId: string; key: string }) => Promise<boolean>,
): RunningKeys {
  const running = new Set<string>();
  return {
    during: async ({ tenantId, idempotency }, work) => {
      if (idempotency === null) return work();
      const name = keyWithin(tenantId, idempotency.key);
      if (running.has(name)) {
        if (await isAnswered({ tenantId, key: idempotency.key })) return work();
        throw keyInUse();
      }
      running.add(name);
      try {
        return await work();
      } finally {
        running.delete(name);
      }
    },
  };
}

/** The problem for what the accepting transaction says of a key; null when the error is about something else. */
export function keyProblemOf(error: unknown): Problem | null {
  if (error instanceof IdempotencyKeyInUse) return keyInUse(error);
  if (!(error instanceof IdempotencyKeyReused)) return null;
  const detail = `This ${header} was used for another request. Send the same request, or take a new key.`;
  return new Problem('IDEMPOTENCY_KEY_REUSED', detail, { cause: error });
}

function keyInUse(cause?: unknown): Problem {
  const detail = `The first request with this ${header} is not answered yet. Send the same request again.`;
  return new Problem('IDEMPOTENCY_KEY_IN_USE', detail, { headers: { 'retry-after': '1' }, cause });
}
