import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Somebody whose documents, results and keys are kept apart from everybody else's. */
@Entity({ name: 'tenant' })
export class TenantEntity {
  @PrimaryColumn({ type: 'text' })
  id: string;

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt: Date;
}

/** A bearer key of a tenant. The key itself is not stored: its SHA-256 is enough, for keys are long and random. */
@Entity({ name: 'api_key' })
export class ApiKeyEntity {
  @PrimaryColumn({ type: 'uuid' })
  id: string;

  @Column({ name: 'tenant_id', type: 'text' })
  tenantId: string;

  @Column({ type: 'text' })
  name: string;

  @Column({ name: 'key_sha256', type: 'text' })
  keySha256: string;

  @Column({ type: 'text', array: true })
  scopes: string[];

  @Column({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt: Date;

  @Column({ name: 'revoked_at', type: 'timestamptz', precision: 3, nullable: true })
  revokedAt: Date | null;
}

export const accessEntities = [TenantEntity, ApiKeyEntity];
