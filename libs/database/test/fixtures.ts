import { analysisTopics, type DocumentIngested, type InputOf, type OutcomeStatus } from '@anabranch/contracts';
import { analysisFinished, documentIngested } from '@anabranch/test-support';
import { createTestDatabase } from '@anabranch/test-support/postgres';
import { createHash } from 'node:crypto';
import { createTenant } from '../src/access/index.js';
import { upsertAnalyses } from '../src/catalogue/index.js';
import { createDatabase, databaseConfig, type Database } from '../src/index.js';
import { assemble, type NewDocument, type OpenedDocument, type RecordedOutcome } from '../src/jobs/index.js';

/** The tenant of all fixtures. */
export const tenantId = 'acme';

export const analyses = analysisTopics.map(({ analysis }) => analysis ?? '').sort();

/** A migrated database of its own, with a tenant and the catalogue. */
export async function openTestDatabase(): Promise<{ db: Database; url: string; close(): Promise<void> }> {
  const { url, drop } = await createTestDatabase();
  const db = await connect(url);
  await createTenant(db, tenantId);
  await upsertAnalyses(
    db,
    analysisTopics.map(({ analysis, resultSchema }) => ({ name: analysis ?? '', resultSchema: resultSchema ?? '' })),
  );
  const close = async (): Promise<void> => {
    await db.close();
    await drop();
  };
  return { db, url, close };
}

/** One more process on the same database. */
export function connect(url: string): Promise<Database> {
  return createDatabase(databaseConfig.parse({ postgresUrl: url }), { name: 'spec' });
}

export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** A document as it stands on the topic, with the digest of its text. */
export function ingested(given: Partial<InputOf['document.ingested']> = {}): OpenedDocument['event'] {
  const event = documentIngested({ tenantId, ...given });
  return { ...event, textSha256: sha256(event.text ?? '') };
}

export function openedFact(event: OpenedDocument['event'], receivedAt = Date.now()): OpenedDocument {
  return { type: 'opened', event, receivedAt, defaultDeadlineMs: 600_000, graceMs: null, traceparent: null };
}

export function outcomeFact(
  analysis: string,
  document: DocumentIngested,
  { run = 1, status = 'DONE' as OutcomeStatus } = {},
): RecordedOutcome {
  const event = { ...analysisFinished(analysis, document, { run, status }), textSha256: document.textSha256 };
  return { type: 'outcome', analysis, resultSchema: `${analysis}/v1`, event };
}

/** One outcome for each analysis. */
export const allOutcomes = (document: DocumentIngested): RecordedOutcome[] =>
  analyses.map((analysis) => outcomeFact(analysis, document));

/** Tells facts each in a transaction of its own. */
export async function assembleOneByOne(db: Database, facts: Parameters<typeof assemble>[1]): Promise<void> {
  for (const fact of facts) {
    const { results } = await assemble(db, [fact]);
    if (results[0] instanceof Error) throw results[0];
  }
}

/** A document as ingestion hands it over. */
export function newDocument(given: Partial<NewDocument> = {}): NewDocument {
  const text = given.text ?? 'The invoice of 3 May is wrong.';
  return {
    tenantId,
    documentId: 'invoice-3',
    contentSha256: sha256(`content ${text}`),
    textSha256: sha256(text),
    text,
    textRef: null,
    mediaType: 'text/plain',
    charset: 'utf-8',
    language: null,
    metadata: { source: 'spec' },
    requestedAnalyses: [],
    deadlineMs: 600_000,
    graceMs: null,
    priority: 'NORMAL',
    sensitivity: 'INTERNAL',
    sourceEventId: null,
    stream: false,
    correlationId: null,
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    idempotency: null,
    limits: { unsettledJobs: 0, waitingEvents: 0 },
    ...given,
  };
}
