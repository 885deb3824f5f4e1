import type { MigrationInterface, QueryRunner } from 'typeorm';

// Several simple steps in one round trip, whose plans the server keeps. Each step sees what others have committed before it,
// as separate statements would. Rows are sorted wherever they are locked, so that two batches never wait for each other in
// a circle.

// Few rows are looked up in tables that grow all day, and a plan that was made for a young table is kept: it must go from
// the batch to the rows by their keys, and never through the table. For the same reason `OFFSET 0`: what stands in such a
// subquery cannot be where a plan begins.
const byIndex =
  'SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET random_page_cost = 1.1';

/** What a batch asks, read once: `key` stands in claims, `choice` and `is_fresh` in pins. */
const request = `
  CREATE TYPE ledger_request AS (
    at integer, tenant_id text, document_id text, revision bigint, job_id uuid, analysis text, run integer,
    key bytea, choice jsonb, is_fresh boolean
  )`;

/** Why nothing may be bought for some of these runs any more, by their places. */
const unwantedRuns = `
  CREATE FUNCTION unwanted_runs(requests ledger_request[]) RETURNS TABLE (at integer, refusal text)
  LANGUAGE sql STABLE AS $$
    SELECT r.at, CASE WHEN b.revision > r.revision OR j.state = 'superseded' THEN 'SUPERSEDED' ELSE 'JOB_CLOSED' END
    FROM unnest(requests) AS r
    LEFT JOIN LATERAL (SELECT j.state FROM job j WHERE j.id = r.job_id OFFSET 0) AS j
      ON j.state IN ('cancelled', 'superseded', 'rejected', 'withheld')
    LEFT JOIN begun_revision b
      ON (b.tenant_id, b.document_id, b.analysis) = (r.tenant_id, r.document_id, r.analysis)
    WHERE j.state IS NOT NULL OR b.revision > r.revision
  $$`;

const pinRuns = `
  CREATE FUNCTION pin_runs(given json)
  RETURNS TABLE (at integer, refusal text, choice jsonb, purchase integer) LANGUAGE plpgsql ${byIndex} AS $$
  #variable_conflict use_column
  DECLARE
    requests ledger_request[] := ARRAY(SELECT r FROM json_populate_recordset(NULL::ledger_request, given) AS r);
    places integer[];
    refusals text[];
  BEGIN
    -- Nothing follows from a pin but a claim, whose commit is waited for; what was committed before it is then safe, too.
    PERFORM set_config('synchronous_commit', 'off', true);

    SELECT array_agg(u.at), array_agg(u.refusal) INTO places, refusals FROM unwanted_runs(requests) AS u;
    IF places IS NOT NULL THEN
      RETURN QUERY SELECT u.at, u.refusal, NULL::jsonb, NULL::integer FROM unnest(places, refusals) AS u(at, refusal);
      requests := ARRAY(SELECT r FROM unnest(requests) AS r WHERE r.at <> ALL(places));
    END IF;

    INSERT INTO begun_revision AS b (tenant_id, document_id, analysis, revision)
    SELECT r.tenant_id, r.document_id, r.analysis, max(r.revision)
    FROM unnest(requests) AS r
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
    FROM unnest(requests) AS r
    ORDER BY r.job_id, r.analysis, r.run
    ON CONFLICT DO NOTHING;

    RETURN QUERY
      SELECT r.at, NULL, p.choice, p.purchase
      FROM unnest(requests) AS r LEFT JOIN pin p ON (p.job_id, p.analysis, p.run) = (r.job_id, r.analysis, r.run);
  END
  $$`;

// First a claim for what nobody has asked for yet; then one for what was given back, or what an earlier process of this very
// member holds; then how all the others stand.
const claimOperations = `
  CREATE FUNCTION claim_operations(given json, claimant text, claimant_incarnation bigint)
  RETURNS TABLE (at integer, refusal text, key text, granted integer, is_taken_over boolean, state text, token integer,
                 beat integer, member text, incarnation bigint, answer text, job_id uuid, analysis text, run integer)
  LANGUAGE plpgsql ${byIndex} AS $$
  #variable_conflict use_column
  DECLARE
    claims ledger_request[] := ARRAY(SELECT c FROM json_populate_recordset(NULL::ledger_request, given) AS c);
    places integer[];
    refusals text[];
    fresh bytea[];
    others bytea[];
    again bytea[];
    tokens integer[];
    taken boolean[];
  BEGIN
    SELECT array_agg(u.at), array_agg(u.refusal) INTO places, refusals FROM unwanted_runs(claims) AS u;
    IF places IS NOT NULL THEN
      RETURN QUERY
        SELECT u.at, u.refusal, NULL, NULL::integer, NULL::boolean, NULL, NULL::integer, NULL::integer, NULL, NULL::bigint, NULL, NULL::uuid, NULL,
               NULL::integer
        FROM unnest(places, refusals) AS u(at, refusal);
      claims := ARRAY(SELECT c FROM unnest(claims) AS c WHERE c.at <> ALL(places));
    END IF;

    WITH added AS (
      INSERT INTO operation (key, tenant_id, state, token, beat, member, incarnation, job_id, analysis, run)
      SELECT DISTINCT ON (c.key) c.key, c.tenant_id, 'leased', 1, 0, claimant, claimant_incarnation, c.job_id, c.analysis,
             c.run
      FROM unnest(claims) AS c
      ORDER BY c.key, c.at DESC
      ON CONFLICT DO NOTHING
      RETURNING key)
    SELECT coalesce(array_agg(added.key), '{}') INTO fresh FROM added;
    RETURN QUERY
      SELECT NULL::integer, NULL, encode(f.key, 'hex'), 1, false, NULL, NULL::integer, NULL::integer, NULL, NULL::bigint, NULL, NULL::uuid, NULL,
             NULL::integer
      FROM unnest(fresh) AS f(key);

    INSERT INTO operation_use (job_id, key)
    SELECT DISTINCT c.job_id, c.key FROM unnest(claims) AS c ORDER BY 1, 2
    ON CONFLICT DO NOTHING;

    IF cardinality(fresh) = cardinality(claims) THEN
      RETURN;
    END IF;
    others := ARRAY(SELECT DISTINCT c.key FROM unnest(claims) AS c WHERE c.key <> ALL(fresh));

    WITH again AS (
      UPDATE operation o SET state = 'leased', token = o.token + 1, beat = 0, member = claimant,
        incarnation = claimant_incarnation, job_id = c.job_id, analysis = c.analysis, run = c.run
      FROM (SELECT o.key, o.state AS was, c.job_id, c.analysis, c.run
            FROM (SELECT DISTINCT ON (c.key) c.key, c.job_id, c.analysis, c.run
                  FROM unnest(claims) AS c WHERE c.key = ANY(others) ORDER BY c.key, c.at DESC) AS c
            JOIN operation o ON o.key = c.key
            WHERE o.key = ANY(others) AND (o.state = 'free'
               OR (o.state = 'leased' AND o.member = claimant AND o.incarnation < claimant_incarnation))
            ORDER BY o.key
            FOR UPDATE OF o) AS c
      WHERE o.key = c.key
      RETURNING o.key, o.token, c.was = 'leased' AS is_taken_over)
    SELECT coalesce(array_agg(a.key), '{}'), coalesce(array_agg(a.token), '{}'),
           coalesce(array_agg(a.is_taken_over), '{}')
    INTO again, tokens, taken FROM again AS a;
    RETURN QUERY
      SELECT NULL::integer, NULL, encode(a.key, 'hex'), a.token, a.is_taken_over, NULL, NULL::integer, NULL::integer, NULL, NULL::bigint, NULL, NULL::uuid, NULL,
             NULL::integer
      FROM unnest(again, tokens, taken) AS a(key, token, is_taken_over);

    RETURN QUERY
      SELECT NULL::integer, NULL, encode(o.key, 'hex'), NULL::integer, NULL::boolean, o.state, o.token, o.beat, o.member,
             o.incarnation, o.answer, o.job_id, o.analysis, o.run
      FROM operation o WHERE o.key = ANY(others) AND o.key <> ALL(again);

    UPDATE operation o SET is_waited_for = true
    WHERE o.key = ANY(ARRAY(SELECT w.key FROM operation w
                            WHERE w.key = ANY(others) AND w.key <> ALL(again) AND w.state = 'leased'
                              AND NOT w.is_waited_for
                            ORDER BY w.key FOR UPDATE));
  END
  $$`;

// The first answer of an operation stays, whoever held the lease.
const storeAnswers = `
  CREATE FUNCTION store_answers(given json)
  RETURNS TABLE (key text, is_waited_for boolean, answer text, job_id uuid, analysis text, run integer)
  LANGUAGE plpgsql ${byIndex} AS $$
  #variable_conflict use_column
  DECLARE
    keys bytea[] := ARRAY(SELECT a.key FROM json_to_recordset(given) AS a(key bytea));
    added bytea[];
  BEGIN
    WITH stored AS (
      UPDATE operation o SET state = 'answered', answer = a.answer, answered_at = now(),
        job_id = a.job_id, analysis = a.analysis, run = a.run
      FROM (SELECT o.key, a.answer, a.job_id, a.analysis, a.run
            FROM (SELECT * FROM json_to_recordset(given)
                    AS a(key bytea, answer text, job_id uuid, analysis text, run integer)
                  ORDER BY key) AS a
            CROSS JOIN LATERAL (SELECT o.key FROM operation o
                                WHERE o.key = a.key AND o.state <> 'answered' FOR UPDATE) AS o) AS a
      WHERE o.key = a.key
      RETURNING o.key)
    SELECT coalesce(array_agg(DISTINCT s.key), '{}') INTO added FROM stored AS s;

    RETURN QUERY
      SELECT encode(o.key, 'hex'), o.is_waited_for AND o.key = ANY(added), o.answer, o.job_id, o.analysis, o.run
      FROM operation o WHERE o.key = ANY(keys) AND o.state = 'answered';
  END
  $$`;

/** The ledger's hot statements as functions: pins, claims and answers take one round trip each. */
export class LedgerFunctions1764476000000 implements MigrationInterface {
  readonly name = 'LedgerFunctions1764476000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const sql of [request, unwantedRuns, pinRuns, claimOperations, storeAnswers]) await runner.query(sql);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP FUNCTION store_answers, claim_operations, pin_runs, unwanted_runs');
    await runner.query('DROP TYPE ledger_request');
  }
}
