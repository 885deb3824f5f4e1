import type { MigrationInterface, QueryRunner } from 'typeorm';

// No foreign keys between the hot tables: one writer per document creates the rows in one transaction, and the key-share
// lock that every check takes on a tenant's one row would be the busiest lock of the installation.
// Times are kept to the millisecond, as JavaScript has them: a cursor that went through JSON still compares as equal.
const tables = `
  CREATE TABLE tenant (
    id text PRIMARY KEY,
    created_at timestamptz(3) NOT NULL DEFAULT now()
  );

  CREATE TABLE api_key (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    tenant_id text NOT NULL REFERENCES tenant,
    name text NOT NULL,
    key_sha256 text NOT NULL UNIQUE,
    scopes text[] NOT NULL,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    revoked_at timestamptz(3)
  );

  CREATE TABLE analysis (
    name text PRIMARY KEY,
    result_schema text NOT NULL,
    enabled_from timestamptz(3) NOT NULL DEFAULT now()
  );

  -- Its row lock orders everything that happens to a document. No revision is known while only outcomes have come.
  CREATE TABLE document (
    tenant_id text NOT NULL,
    document_id text NOT NULL,
    latest_revision bigint,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    PRIMARY KEY (tenant_id, document_id)
  ) WITH (fillfactor = 80);

  -- Immutable: what arrived. Identified by the job, which follows from tenant, document and revision.
  CREATE TABLE document_revision (
    job_id uuid PRIMARY KEY,
    tenant_id text NOT NULL,
    document_id text NOT NULL,
    revision bigint NOT NULL,
    event_id text NOT NULL,
    occurred_at timestamptz(3) NOT NULL,
    text text,
    text_ref jsonb,
    text_sha256 text NOT NULL,
    media_type text NOT NULL,
    charset text,
    language text,
    metadata jsonb NOT NULL,
    deadline_ms bigint NOT NULL,
    priority text NOT NULL,
    sensitivity text NOT NULL,
    source_event_id text,
    stream boolean NOT NULL,
    created_at timestamptz(3) NOT NULL DEFAULT now()
  );

  CREATE TABLE job (
    id uuid PRIMARY KEY,
    tenant_id text NOT NULL,
    document_id text NOT NULL,
    revision bigint NOT NULL,
    state text NOT NULL,
    reason text,
    superseded_by bigint,
    result_version integer NOT NULL,
    sequence integer NOT NULL,
    content_sha256 text,
    text_sha256 text NOT NULL,
    correlation_id text NOT NULL,
    traceparent text,
    deadline_at timestamptz(3) NOT NULL,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    updated_at timestamptz(3) NOT NULL DEFAULT now()
  ) WITH (fillfactor = 80);
  CREATE UNIQUE INDEX job_by_document ON job (tenant_id, document_id, revision);
  CREATE INDEX job_by_time ON job (tenant_id, created_at, id);
  CREATE INDEX job_by_state ON job (tenant_id, state, created_at, id);
  CREATE INDEX job_unsettled ON job (tenant_id, document_id)
    WHERE state IN ('accepted', 'analysing', 'awaiting_review');

  CREATE TABLE job_analysis (
    job_id uuid NOT NULL,
    analysis text NOT NULL,
    tenant_id text NOT NULL,
    wanted_run integer NOT NULL,
    effective_run integer,
    effective_status text,
    effective_code text,
    effective_outcome_id uuid,
    effective_digest text,
    PRIMARY KEY (job_id, analysis)
  ) WITH (fillfactor = 70);

  CREATE TABLE job_event (
    job_id uuid NOT NULL,
    number integer NOT NULL,
    tenant_id text NOT NULL,
    type text NOT NULL,
    data jsonb NOT NULL,
    at timestamptz(3) NOT NULL DEFAULT now(),
    PRIMARY KEY (job_id, number)
  );

  -- All runs. The text's digest is part of the key: an outcome may come before its job, and then nobody knows yet whether
  -- it is about the accepted text or about one that a conflicting revision brought.
  CREATE TABLE outcome (
    id uuid NOT NULL,
    text_sha256 text NOT NULL,
    tenant_id text NOT NULL,
    job_id uuid NOT NULL,
    analysis text NOT NULL,
    run integer NOT NULL,
    status text NOT NULL,
    code text,
    digest text NOT NULL,
    event_id text NOT NULL,
    language text,
    engine jsonb,
    coverage jsonb,
    usage jsonb,
    refusal jsonb,
    failure jsonb,
    warnings jsonb NOT NULL,
    result_schema text NOT NULL,
    result jsonb,
    result_ref jsonb,
    finished_at timestamptz(3),
    recorded_at timestamptz(3) NOT NULL DEFAULT now(),
    PRIMARY KEY (id, text_sha256)
  );
  CREATE INDEX outcome_by_job ON outcome (job_id);

  -- Immutable: what was published, and with which outcomes in effect.
  CREATE TABLE settlement (
    id uuid PRIMARY KEY,
    job_id uuid NOT NULL,
    tenant_id text NOT NULL,
    result_version integer NOT NULL,
    state text NOT NULL,
    reason text,
    superseded_by bigint,
    final boolean NOT NULL,
    result_digest text NOT NULL,
    outcome_ids uuid[] NOT NULL,
    causation_id text NOT NULL,
    settled_at timestamptz(3) NOT NULL DEFAULT now(),
    UNIQUE (job_id, result_version)
  );

  -- Ids of immutable rows that a topic still has to carry; numbers of one document rise in the order of its commits.
  CREATE TABLE outbox (
    topic text NOT NULL,
    number bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    row_id uuid NOT NULL,
    tenant_id text NOT NULL,
    document_id text NOT NULL,
    PRIMARY KEY (topic, number)
  ) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000);
`;

const tableNames =
  'outbox, settlement, outcome, job_event, job_analysis, job, document_revision, document, analysis, api_key, tenant';

/** The tables of acceptance, assembly, access and the catalogue. */
export class Initial1700000000000 implements MigrationInterface {
  readonly name = 'Initial1700000000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(tables);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE ${tableNames}`);
  }
}
