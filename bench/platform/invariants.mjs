// Whether a run counts: what the database, the topics and the model's own log of calls say about its documents.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { countRecords, readEnriched } from './enriched.mjs';

const analyses = 5;

const questions = `
  SELECT
    (SELECT count(*) FROM job WHERE document_id LIKE $1) AS jobs,
    (SELECT count(*) FROM job WHERE document_id LIKE $1 AND state = 'complete') AS complete,
    (SELECT count(*) FROM job WHERE document_id LIKE $1 AND state = 'superseded') AS superseded,
    (SELECT count(*) FROM settlement s JOIN job j ON j.id = s.job_id WHERE j.document_id LIKE $1) AS settlements,
    (SELECT count(*) FROM job_analysis a JOIN job j ON j.id = a.job_id
     WHERE j.document_id LIKE $1 AND j.state = 'complete' AND a.effective_status = 'done') AS done,
    (SELECT count(*) FROM outcome o JOIN job j ON j.id = o.job_id
     WHERE j.document_id LIKE $1 AND j.state = 'complete') AS outcomes,
    (SELECT count(*) FROM outbox) + (SELECT count(*) FROM outbox_failure) AS waiting,
    (SELECT count(*) FROM operation) AS operations,
    (SELECT count(*) FROM operation WHERE state = 'answered') AS answered`;

async function ask(postgres, run) {
  const client = new pg.Client({ connectionString: postgres });
  await client.connect();
  try {
    const { rows } = await client.query(questions, [`${run}-%`]);
    return Object.fromEntries(Object.entries(rows[0]).map(([name, count]) => [name, Number(count)]));
  } finally {
    await client.end();
  }
}

/** What the stand-in for a model says it was asked, and when, since the platform started. */
export function readCalls(stubFolder) {
  const files = readdirSync(stubFolder);
  const lines = files.flatMap((name) => readFileSync(join(stubFolder, name), 'utf8').split('\n').filter(Boolean));
  return lines.map((line) => {
    const [analysis, key, ms, at] = line.split(' ');
    return { analysis, key, ms: Number(ms), at: Number(at) };
  });
}

function differences(expectations) {
  return expectations.flatMap(([what, expected, found]) =>
    expected === found ? [] : [`${what}: ${found} instead of ${expected}`],
  );
}

/** What was published about one document: in order, each settlement once, or again under the same id. */
function faultsOfDocument(documentId, records) {
  const events = records.map(readEnriched);
  const ids = new Map();
  const faults = [];
  let last = -1;
  for (const { eventId, revision, resultVersion, state, outcomes } of events) {
    const place = revision * 1_000 + resultVersion;
    if (ids.get(eventId) === undefined && place <= last) faults.push(`${documentId}: revision ${revision} came late`);
    if (ids.get(eventId) === undefined) last = place;
    ids.set(eventId, place);
    if (
      state === 'COMPLETE' &&
      outcomes.filter(({ status, resultJson }) => status === 'DONE' && resultJson).length !== analyses
    )
      faults.push(`${documentId}: is complete without all of its results`);
  }
  return new Set(ids.values()).size === ids.size
    ? faults
    : [...faults, `${documentId}: one settlement has two event ids`];
}

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** The outbox is emptied after the last acknowledgement, and the model's log is written now and then. */
async function settled(platform, run) {
  for (let tries = 0; ; tries++) {
    const found = await ask(platform.book.postgres, run);
    if (found.waiting === 0 || tries === 20) return found;
    await sleep(100);
  }
}

/**
 * What a run broke; empty when it counts.
 * @param {{ platform: import('./platform.mjs').Platform, listener: { records: Map<string, object[]> },
 *   isGated: boolean, isKilled: boolean }} world
 * @param {{ run: string, documents: number, revisions?: number }} expected
 */
export async function violationsOf({ platform, listener, isGated, isKilled }, { run, documents, revisions = 1 }) {
  await sleep(300);
  const found = await settled(platform, run);
  const calls = readCalls(platform.stubFolder);
  const distinct = new Set(calls.map(({ key }) => key)).size;
  const own = [...listener.records].filter(([documentId]) => documentId.startsWith(`${run}-`));
  return [
    ...differences([
      ['jobs', documents * revisions, found.jobs],
      ['complete or superseded jobs', documents * revisions, found.complete + found.superseded],
      ['settlements', documents * revisions, found.settlements],
      ['analyses that are done', found.complete * analyses, found.done],
      ['outcomes of complete jobs', found.complete * analyses, found.outcomes],
      ['rows in the outbox', 0, found.waiting],
      ['documents on document.enriched', documents, own.length],
      ['dead letters', 0, await countRecords(platform.book, 'dead-letters')],
      // A call whose holder was killed is made again.
      ...(isKilled ? [] : [['calls of one operation, beyond the first', 0, calls.length - distinct]]),
      ...(isGated
        ? [
            ['calls by the log of the model, against operations of the ledger', found.operations, distinct],
            ['operations with an answer', found.operations, found.answered],
          ]
        : []),
      ...(revisions === 1 ? [['documents that are complete', documents, found.complete]] : []),
    ]),
    ...own.flatMap(([documentId, records]) => faultsOfDocument(documentId, records)).slice(0, 5),
  ];
}
