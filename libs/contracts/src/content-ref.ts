import { PoisonMessage } from '@anabranch/failures';
import type { ContentRef } from './generated/events.generated.js';

/**
 * Checks that a claim check names content of its tenant in the configured store, never a URL or a path out of it.
 * `field` is its path in the event.
 * @throws PoisonMessage INVALID_EVENT
 */
export function checkContentRef(field: string, { key, sha256, bytes }: ContentRef, tenantId: string): void {
  const [tenant, ...rest] = key.split('/');
  expect(tenant === tenantId && rest.length > 0, `${field}.key must begin with the tenant id and a slash`);
  expect(
    rest.every((part) => !['', '.', '..'].includes(part)),
    `${field}.key must not hold empty, . or .. parts`,
  );
  expect(!/[\p{Cc}\\]/u.test(key), `${field}.key must not hold control characters or backslashes`);
  expect(/^[0-9a-f]{64}$/.test(sha256), `${field}.sha256 must be 64 lower-case hex digits`);
  expect(bytes >= 0, `${field}.bytes must not be negative`);
}

/** Refuses an event that breaks the rule. */
export function expect(holds: boolean, rule: string): void {
  if (!holds) throw new PoisonMessage('INVALID_EVENT', `The event breaks a rule: ${rule}.`);
}
