// Outcomes that came before their job. Invariant: once a job is open, each of its outcome ids is stored once, under the
// job's own digest: what was published cannot change by a second row.
import type { Outcome } from '@anabranch/job';
import type { Queryable } from '../database.js';
import { isAboutText } from './outcomes.js';

/** The run that an analysis has when its job opens: a higher one was allocated by nobody. */
export const firstRun = 1;

/** What waited for jobs that open. */
export interface EarlyOutcomes {
  byJob: Map<string, Outcome[]>;
  /** How many were about another text, or of a run that nobody asked for. */
  ignored: number;
}

interface EarlyRow extends Outcome {
  jobId: string;
  textSha256: string;
}

/** Takes the outcomes that came before their jobs; of each id the first stored one counts, and the others are removed. */
export async function takeEarlyOutcomes(
  tx: Queryable,
  openings: readonly { jobId: string; textSha256: string }[],
): Promise<EarlyOutcomes> {
  if (openings.length === 0) return { byJob: new Map(), ignored: 0 };
  const texts = new Map(openings.map(({ jobId, textSha256 }) => [jobId, textSha256]));
  const rows = await tx.query<EarlyRow & Record<string, unknown>>(
    `SELECT id AS "outcomeId", analysis, run, status, code, digest, job_id AS "jobId", text_sha256 AS "textSha256"
     FROM outcome WHERE job_id = ANY($1::uuid[])
     ORDER BY recorded_at, text_sha256 DESC`,
    [[...texts.keys()]],
  );
  const own = rows.filter(isOwn);
  const first = [...new Map(own.toReversed().map((row) => [row.outcomeId, row])).values()];
  await removeOutcomes(
    tx,
    rows.filter((row) => !first.includes(row)),
  );
  await setText(
    tx,
    first.map(withOwnText).filter(({ from, to }) => from !== to),
  );
  const byJob = Map.groupBy(first, ({ jobId }) => jobId);
  return {
    byJob: new Map([...byJob].map(([jobId, outcomes]) => [jobId, outcomes.map(outcomeOfRow)])),
    ignored: rows.length - own.length,
  };

  function isOwn({ jobId, textSha256, run }: EarlyRow): boolean {
    return run <= firstRun && isAboutText(texts.get(jobId) ?? '', textSha256);
  }

  function withOwnText({ outcomeId, jobId, textSha256 }: EarlyRow) {
    return { id: outcomeId, from: textSha256, to: texts.get(jobId) ?? '' };
  }
}

function outcomeOfRow({ outcomeId, analysis, run, status, code, digest }: EarlyRow): Outcome {
  return { outcomeId, analysis, run, status, code, digest };
}

async function removeOutcomes(tx: Queryable, rows: readonly EarlyRow[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.query(
    `DELETE FROM outcome o USING unnest($1::uuid[], $2::text[]) AS k(id, text_sha256)
     WHERE o.id = k.id AND o.text_sha256 = k.text_sha256`,
    [rows.map(({ outcomeId }) => outcomeId), rows.map(({ textSha256 }) => textSha256)],
  );
}

async function setText(tx: Queryable, changes: readonly { id: string; from: string; to: string }[]): Promise<void> {
  if (changes.length === 0) return;
  await tx.query(
    `UPDATE outcome o SET text_sha256 = c."to"
     FROM json_to_recordset($1) AS c(id uuid, "from" text, "to" text)
     WHERE o.id = c.id AND o.text_sha256 = c."from"`,
    [JSON.stringify(changes)],
  );
}
