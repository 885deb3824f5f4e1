import type { ContentRef, Coverage, Engine, Failure, Refusal, Usage } from '@anabranch/contracts';
import type { JobState, OutcomeStatus } from '@anabranch/job';
import { Column, Entity, PrimaryColumn, type ValueTransformer } from 'typeorm';

/** Revisions and durations are safe integers (contracts); pg gives bigint as a string. */
const safeInteger: ValueTransformer = {
  from: (value: string | null) => (value === null ? null : Number(value)),
  to: (value: number | null) => value,
};
const bigint = { type: 'bigint', transformer: safeInteger } as const;
const time = { type: 'timestamptz', precision: 3 } as const;

/** A job: the projection of its history. */
@Entity({ name: 'job' })
export class JobEntity {
  @PrimaryColumn({ type: 'uuid' })
  id: string;

  @Column({ name: 'tenant_id', type: 'text' })
  tenantId: string;

  @Column({ name: 'document_id', type: 'text' })
  documentId: string;

  @Column({ ...bigint, name: 'revision' })
  revision: number;

  @Column({ type: 'text' })
  state: JobState;

  @Column({ type: 'text', nullable: true })
  reason: string | null;

  @Column({ ...bigint, name: 'superseded_by', nullable: true })
  supersededBy: number | null;

  @Column({ name: 'result_version', type: 'integer' })
  resultVersion: number;

  @Column({ type: 'integer' })
  sequence: number;

  @Column({ name: 'text_sha256', type: 'text' })
  textSha256: string;

  @Column({ name: 'correlation_id', type: 'text' })
  correlationId: string;

  @Column({ name: 'traceparent', type: 'text', nullable: true })
  traceparent: string | null;

  @Column({ ...time, name: 'deadline_at' })
  deadlineAt: Date;

  @Column({ ...time, name: 'created_at' })
  createdAt: Date;

  @Column({ ...time, name: 'updated_at' })
  updatedAt: Date;
}

/** One requested analysis of a job. */
@Entity({ name: 'job_analysis' })
export class JobAnalysisEntity {
  @PrimaryColumn({ name: 'job_id', type: 'uuid' })
  jobId: string;

  @PrimaryColumn({ type: 'text' })
  analysis: string;

  @Column({ name: 'wanted_run', type: 'integer' })
  wantedRun: number;

  @Column({ name: 'effective_status', type: 'text', nullable: true })
  effectiveStatus: OutcomeStatus | null;

  @Column({ name: 'effective_outcome_id', type: 'uuid', nullable: true })
  effectiveOutcomeId: string | null;
}

/** One step of a job's history. */
@Entity({ name: 'job_event' })
export class JobEventEntity {
  @PrimaryColumn({ name: 'job_id', type: 'uuid' })
  jobId: string;

  @PrimaryColumn({ type: 'integer' })
  number: number;

  @Column({ name: 'tenant_id', type: 'text' })
  tenantId: string;

  @Column({ type: 'text' })
  type: string;

  @Column({ type: 'jsonb' })
  data: Record<string, unknown>;

  @Column({ ...time, name: 'at' })
  at: Date;
}

/** One outcome of one run. */
@Entity({ name: 'outcome' })
export class OutcomeEntity {
  @PrimaryColumn({ type: 'uuid' })
  id: string;

  @PrimaryColumn({ name: 'text_sha256', type: 'text' })
  textSha256: string;

  @Column({ name: 'job_id', type: 'uuid' })
  jobId: string;

  @Column({ type: 'text' })
  analysis: string;

  @Column({ type: 'integer' })
  run: number;

  @Column({ type: 'text' })
  status: OutcomeStatus;

  @Column({ type: 'text', nullable: true })
  language: string | null;

  @Column({ type: 'jsonb', nullable: true })
  engine: Engine | null;

  @Column({ type: 'jsonb', nullable: true })
  coverage: Coverage | null;

  @Column({ type: 'jsonb', nullable: true })
  usage: Usage | null;

  @Column({ type: 'jsonb', nullable: true })
  refusal: Refusal | null;

  @Column({ type: 'jsonb', nullable: true })
  failure: Failure | null;

  @Column({ type: 'jsonb' })
  warnings: string[];

  @Column({ name: 'result_schema', type: 'text' })
  resultSchema: string;

  @Column({ type: 'jsonb', nullable: true })
  result: unknown;

  @Column({ name: 'result_ref', type: 'jsonb', nullable: true })
  resultRef: ContentRef | null;

  @Column({ ...time, name: 'finished_at', nullable: true })
  finishedAt: Date | null;
}

/** What was published, and with which outcomes in effect. */
@Entity({ name: 'settlement' })
export class SettlementEntity {
  @PrimaryColumn({ type: 'uuid' })
  id: string;

  @Column({ name: 'job_id', type: 'uuid' })
  jobId: string;

  @Column({ name: 'result_version', type: 'integer' })
  resultVersion: number;

  @Column({ type: 'boolean' })
  final: boolean;

  @Column({ name: 'result_digest', type: 'text' })
  resultDigest: string;

  @Column({ name: 'outcome_ids', type: 'uuid', array: true })
  outcomeIds: string[];
}

/** The content of a revision, as it arrived. */
@Entity({ name: 'document_revision' })
export class DocumentRevisionEntity {
  @PrimaryColumn({ name: 'job_id', type: 'uuid' })
  jobId: string;

  @Column({ name: 'tenant_id', type: 'text' })
  tenantId: string;

  @Column({ type: 'text', nullable: true })
  text: string | null;

  @Column({ name: 'text_ref', type: 'jsonb', nullable: true })
  textRef: ContentRef | null;

  @Column({ name: 'text_sha256', type: 'text' })
  textSha256: string;

  @Column({ name: 'media_type', type: 'text' })
  mediaType: string;

  @Column({ type: 'text', nullable: true })
  charset: string | null;
}

export const jobEntities = [
  JobEntity,
  JobAnalysisEntity,
  JobEventEntity,
  OutcomeEntity,
  SettlementEntity,
  DocumentRevisionEntity,
];
