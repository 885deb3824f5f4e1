import type { Access } from '@anabranch/database/access';
import { Problem } from '../http/problem.js';
import type { ApiKeys } from './api-keys.js';

// RFC 6750 §2.1: the token's alphabet; no key is longer.
const bearer = /^Bearer +([A-Za-z0-9._~+/=-]{1,512}) *$/i;

/** Who calls, from the Authorization header. Throws the problem UNAUTHENTICATED. */
export async function authenticate(authorization: string | undefined, findKey: ApiKeys): Promise<Access> {
  if (authorization === undefined) {
    throw unauthenticated('Send your API key in the header "Authorization: Bearer …".', '');
  }
  const key = bearer.exec(authorization)?.[1];
  const access = key === undefined ? null : await findKey(key);
  if (access === null) {
    const detail = 'The API key is unknown or revoked, or not written as "Authorization: Bearer …". Use a valid one.';
    throw unauthenticated(detail, ', error="invalid_token"');
  }
  return access;
}

/** Throws the problem MISSING_SCOPE when the key does not carry the scope. */
export function authorize(access: Access, scope: string): void {
  if (access.scopes.includes(scope)) return;
  throw new Problem('MISSING_SCOPE', `The API key lacks the scope ${scope}. Use a key that has it.`, {
    headers: { 'www-authenticate': `Bearer realm="anabranch", error="insufficient_scope", scope="${scope}"` },
    extensions: { scope },
  });
}

function unauthenticated(detail: string, error: string): Problem {
  return new Problem('UNAUTHENTICATED', detail, {
    headers: { 'www-authenticate': `Bearer realm="anabranch"${error}` },
  });
}
