import type { MigrationInterface, QueryRunner } from 'typeorm';

// A plan that is made for the batch at hand seems cheaper than the one that serves all, because a small array is known to be small
// then: so each call would be planned anew, for more than it costs to run.
const plannedOnce = 'SET plan_cache_mode = force_generic_plan';
// As for the other statements of the ledger (`ledger-functions`): from the batch to the rows by their keys.
const byIndex = `SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET random_page_cost = 1.1 ${plannedOnce}`;

/** What claims say of their runs. */
const claimedRun = `
  CREATE TYPE claimed_run AS (
    at integer, tenant_id text, document_id text, revision bigint, job_id uuid, analysis text, run integer,
    is_fresh boolean, choice jsonb, purchase integer
  )`;

// Begins runs, then claims for those that are pinned as their claims say. Whether a run is wanted is asked by the claim, once
// its revision is noted: of two that begin at the same time the lower one is refused. A run of a job that is closed begins not
// at all, or a cancelled revision would stand in the way of the one before it.
const pinAndClaim = `
  CREATE FUNCTION pin_and_claim(given json, claimant text, claimant_incarnation bigint)
  RETURNS TABLE (at integer, refusal text, key text, granted integer, is_taken_over boolean, state text, token integer,
                 beat integer, member text, incarnation bigint, answer text, job_id uuid, analysis text, run integer,
                 choice jsonb, purchase integer)
  LANGUAGE plpgsql ${byIndex} AS $$
  #variable_conflict use_column
  DECLARE
    claims claimed_run[] := ARRAY(SELECT c FROM json_populate_recordset(NULL::claimed_run, given) AS c);
    beginning claimed_run[];
    otherwise integer[];
  BEGIN
    beginning := ARRAY(
      SELECT c FROM unnest(claims) AS c
      WHERE NOT EXISTS (SELECT FROM pin p WHERE (p.job_id, p.analysis, p.run) = (c.job_id, c.analysis, c.run))
        AND NOT EXISTS (SELECT FROM (SELECT j.state FROM job j WHERE j.id = c.job_id OFFSET 0) AS j
                        WHERE j.state IN ('cancelled', 'superseded', 'rejected', 'withheld')));
    IF cardinality(beginning) > 0 THEN
      INSERT INTO begun_revision AS b (tenant_id, document_id, analysis, revision)
      SELECT r.tenant_id, r.document_id, r.analysis, max(r.revision)
      FROM unnest(beginning) AS r
      GROUP BY r.tenant_id, r.document_id, r.analysis
      ORDER BY r.tenant_id, r.document_id, r.analysis
      ON CONFLICT (tenant_id, document_id, analysis) DO UPDATE SET revision = excluded.revision, begun_at = now()
      WHERE b.revision < excluded.revision;

      INSERT INTO pin (job_id, analysis, run, tenant_id, purchase, choice)
      SELECT r.job_id, r.analysis, r.run, r.tenant_id,
             CASE WHEN r.is_fresh THEN r.run
                  WHEN r.run = 1 THEN 1
                  ELSE coalesce((SELECT max(p.purchase) FROM pin p
                                 WHERE p.job_id = r.job_id AND p.analysis = r.analysis AND p.run < r.run), 1) END,
             r.choice
      FROM unnest(beginning) AS r
      ORDER BY r.job_id, r.analysis, r.run
      ON CONFLICT DO NOTHING;
    END IF;

    otherwise := ARRAY(
      SELECT c.at FROM unnest(claims) AS c
      JOIN pin p ON (p.job_id, p.analysis, p.run) = (c.job_id, c.analysis, c.run)
      WHERE p.choice <> c.choice OR p.purchase <> c.purchase);
    IF cardinality(otherwise) > 0 THEN
      RETURN QUERY
        SELECT c.at, NULL, NULL, NULL::integer, NULL::boolean, NULL, NULL::integer, NULL::integer, NULL, NULL::bigint, NULL,
               NULL::uuid, NULL, NULL::integer, p.choice, p.purchase
        FROM unnest(claims) AS c
        JOIN pin p ON (p.job_id, p.analysis, p.run) = (c.job_id, c.analysis, c.run)
        WHERE c.at = ANY(otherwise);
      given := (SELECT coalesce(json_agg(g), '[]') FROM json_array_elements(given) AS g
                WHERE (g ->> 'at')::integer <> ALL(otherwise));
    END IF;

    RETURN QUERY
      SELECT c.*, NULL::jsonb, NULL::integer FROM claim_operations(given, claimant, claimant_incarnation) AS c;
  END
  $$`;

/**
 * A claim begins its run: one round trip less before each call, and no planning. `pin_runs` stays for processes of the version
 * before, as long as they may run beside those of this one; so does `claim_operations`, which is the second half here.
 */
export class PinAndClaim1764496000000 implements MigrationInterface {
  readonly name = 'PinAndClaim1764496000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const sql of [claimedRun, pinAndClaim, `ALTER FUNCTION store_answers ${plannedOnce}`]) await runner.query(sql);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER FUNCTION store_answers RESET plan_cache_mode');
    await runner.query('DROP FUNCTION pin_and_claim');
    await runner.query('DROP TYPE claimed_run');
  }
}
