import { createHash, randomBytes } from 'node:crypto';
import { IsNull } from 'typeorm';
import type { Database } from '../database.js';
import { ApiKeyEntity } from './entities.js';

/** Who calls, as the key says. */
export interface Access {
  keyId: string;
  tenantId: string;
  name: string;
  scopes: readonly string[];
}

/** The form in which keys are stored and looked up: lower-case hex of SHA-256. */
export function hashApiKey(key: string): string {
  return createHash('sha256').update(key, 'utf8').digest('hex');
}

/** Whose key this is; null when it is unknown or revoked. */
export async function findApiKey(db: Database, keySha256: string): Promise<Access | null> {
  const row = await db.read((entities) => entities.findOneBy(ApiKeyEntity, { keySha256, revokedAt: IsNull() }));
  return row && { keyId: row.id, tenantId: row.tenantId, name: row.name, scopes: row.scopes };
}

/** A tenant id is a folder of the object store, so it has the letters that every store takes. */
const tenantIdForm = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,128}$/;

/**
 * Adds the tenant; one that exists is left as it is.
 * @throws Error when the id cannot be part of an object's key
 */
export async function createTenant(db: Database, tenantId: string): Promise<void> {
  if (!tenantIdForm.test(tenantId))
    throw new Error('A tenant id has 1 to 128 letters, digits, ".", "_" or "-", and is not "." or "..".');
  await db.query('INSERT INTO tenant (id) VALUES ($1) ON CONFLICT (id) DO NOTHING', [tenantId]);
}

export interface NewApiKey {
  tenantId: string;
  name: string;
  /** A new random key unless given. At least 16 characters. */
  key?: string;
  scopes?: readonly string[];
}

export interface CreatedApiKey {
  tenantId: string;
  name: string;
  /** The key itself: it is shown now and never again. */
  key: string;
  /** False when this very key existed before. */
  created: boolean;
}

export const defaultScopes = ['documents:read', 'documents:write', 'rules:read', 'rules:write'];

/**
 * Adds a key, and its tenant where that is new. The same key again changes nothing.
 * @throws Error when the key is too short, or is another tenant's
 */
export async function createApiKey(db: Database, { tenantId, name, key, scopes }: NewApiKey): Promise<CreatedApiKey> {
  const secret = key ?? `ab_${randomBytes(32).toString('base64url')}`;
  if (secret.length < 16) throw new Error('An API key needs at least 16 characters.');
  await createTenant(db, tenantId);
  const added = await db.query(
    `INSERT INTO api_key (tenant_id, name, key_sha256, scopes) VALUES ($1, $2, $3, $4)
     ON CONFLICT (key_sha256) DO NOTHING RETURNING id`,
    [tenantId, name, hashApiKey(secret), scopes ?? defaultScopes],
  );
  const owner = (await findApiKey(db, hashApiKey(secret)))?.tenantId;
  if (owner !== tenantId) throw new Error('This API key is revoked, or another tenant’s.');
  return { tenantId, name, key: secret, created: added.length > 0 };
}
