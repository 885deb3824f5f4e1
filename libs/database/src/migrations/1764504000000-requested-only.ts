import type { MigrationInterface, QueryRunner } from 'typeorm';

// `OFFSET 0`: what stands in such a subquery cannot be where a plan begins (`ledger-functions`).
const unwantedRuns = `
  CREATE OR REPLACE FUNCTION unwanted_runs(requests ledger_request[]) RETURNS TABLE (at integer, refusal text)
  LANGUAGE sql STABLE AS $$
    SELECT r.at, CASE WHEN b.revision > r.revision OR j.state = 'superseded' THEN 'SUPERSEDED'
                      WHEN j.state IN ('cancelled', 'rejected', 'withheld') THEN 'JOB_CLOSED'
                      ELSE 'NOT_REQUESTED' END
    FROM unnest(requests) AS r
    LEFT JOIN LATERAL (
      SELECT j.state,
             EXISTS (SELECT FROM job_analysis a WHERE (a.job_id, a.analysis) = (r.job_id, r.analysis)) AS is_requested
      FROM job j WHERE j.id = r.job_id OFFSET 0) AS j ON true
    LEFT JOIN begun_revision b
      ON (b.tenant_id, b.document_id, b.analysis) = (r.tenant_id, r.document_id, r.analysis)
    WHERE j.state IN ('cancelled', 'superseded', 'rejected', 'withheld') OR NOT j.is_requested OR b.revision > r.revision
  $$`;

const unwantedRunsBefore = `
  CREATE OR REPLACE FUNCTION unwanted_runs(requests ledger_request[]) RETURNS TABLE (at integer, refusal text)
  LANGUAGE sql STABLE AS $$
    SELECT r.at, CASE WHEN b.revision > r.revision OR j.state = 'superseded' THEN 'SUPERSEDED' ELSE 'JOB_CLOSED' END
    FROM unnest(requests) AS r
    LEFT JOIN LATERAL (SELECT j.state FROM job j WHERE j.id = r.job_id OFFSET 0) AS j
      ON j.state IN ('cancelled', 'superseded', 'rejected', 'withheld')
    LEFT JOIN begun_revision b
      ON (b.tenant_id, b.document_id, b.analysis) = (r.tenant_id, r.document_id, r.analysis)
    WHERE j.state IS NOT NULL OR b.revision > r.revision
  $$`;

/**
 * Nothing is bought for an analysis that a document was not accepted with: one that is deployed later reads what its topic
 * still holds (semantics §5). A document that has no job yet may be paid for.
 */
export class RequestedOnly1764504000000 implements MigrationInterface {
  readonly name = 'RequestedOnly1764504000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(unwantedRuns);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(unwantedRunsBefore);
  }
}
