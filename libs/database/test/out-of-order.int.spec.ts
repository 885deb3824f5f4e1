import { evolve, type Job, type JobEvent } from '@anabranch/job';
import { foldDocument, type DocumentFact, type DocumentModel } from '@anabranch/job/testing';
import { uniqueName } from '@anabranch/test-support';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Database } from '../src/index.js';
import { assemble, getHistory, type AssemblyFact } from '../src/jobs/index.js';
import { lockJobs } from '../src/jobs/load.js';
import { outcomeOf, outcomeRow } from '../src/jobs/outcomes.js';
import { ingested, openedFact, openTestDatabase, outcomeFact, tenantId } from './fixtures.js';

// The database against the pure fold of libs/job: any permutation of facts, with repeats, cut into batches anywhere.

let db: Database;
let close: () => Promise<void>;

beforeAll(async () => {
  ({ db, close } = await openTestDatabase());
});
afterAll(() => close());

const requestedAnalyses = ['compliance', 'sentiment', 'summary'];
const revisions = [1, 2, 3] as const;

type Step =
  | { kind: 'open'; revision: number }
  | { kind: 'outcome'; revision: number; analysis: string; run: number; status: 'DONE' | 'REFUSED' | 'FAILED' };

const outcomeSteps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    kind: fc.constant('outcome' as const),
    revision: fc.constantFrom(...revisions),
    analysis: fc.constantFrom(...requestedAnalyses, 'classification'),
    run: fc.integer({ min: 1, max: 2 }),
    status: fc.constantFrom('DONE' as const, 'REFUSED' as const, 'FAILED' as const),
  }),
  { maxLength: 16 },
);

const doneSteps: Step[] = revisions.flatMap((revision) =>
  requestedAnalyses.map((analysis) => ({
    kind: 'outcome' as const,
    revision,
    analysis,
    run: 1,
    status: 'DONE' as const,
  })),
);

const shuffled = (steps: readonly Step[]): fc.Arbitrary<Step[]> =>
  fc.shuffledSubarray([...steps], { minLength: steps.length, maxLength: steps.length });

/** All revisions are opened; some facts come again; the whole is cut into batches. */
const batchesOfSteps: fc.Arbitrary<Step[][]> = fc
  .tuple(outcomeSteps, fc.subarray(doneSteps))
  .map(([some, done]) => [...some, ...done, ...revisions.map((revision) => ({ kind: 'open' as const, revision }))])
  .chain((steps) => fc.subarray(steps).chain((again) => shuffled([...steps, ...again])))
  .chain((steps) =>
    fc
      .array(fc.integer({ min: 1, max: 6 }), { minLength: steps.length, maxLength: steps.length })
      .map((sizes) => cut(steps, sizes)),
  );

function cut(steps: readonly Step[], sizes: readonly number[]): Step[][] {
  const batches: Step[][] = [];
  for (let at = 0, batch = 0; at < steps.length; at += sizes[batch++] ?? 1)
    batches.push(steps.slice(at, at + (sizes[batch] ?? 1)));
  return batches;
}

/** Nobody asked for a second run: what claims to be one changes nothing, whether it comes before its job or after. */
const isAllocated = (step: Step): boolean => step.kind === 'open' || step.run === 1;

class Document {
  readonly id = uniqueName('document');
  private readonly events = new Map(
    revisions.map((revision) => {
      return [
        revision as number,
        ingested({ documentId: this.id, revision, text: `Revision ${revision}.`, requestedAnalyses }),
      ];
    }),
  );

  eventOf(revision: number) {
    const event = this.events.get(revision);
    if (event === undefined) throw new Error(`no revision ${revision}`);
    return event;
  }

  fact(step: Step): AssemblyFact {
    const event = this.eventOf(step.revision);
    return step.kind === 'open' ? openedFact(event, 0) : outcomeFact(step.analysis, event, step);
  }

  modelFact(step: Step): DocumentFact {
    const { revision } = step;
    if (step.kind === 'open') return { type: 'opened', revision, requestedAnalyses };
    const { analysis, resultSchema, event } = outcomeFact(step.analysis, this.eventOf(revision), step);
    return { type: 'outcome', revision, outcome: outcomeOf(outcomeRow(analysis, resultSchema, event)) };
  }
}

/** Facts of a batch are told at once: the outcomes of a job that it opens count as being there before. */
function inOrderOfTelling(batches: readonly Step[][]): Step[] {
  const opened = new Set<number>();
  return batches.flatMap((batch) => {
    const opens = batch.flatMap((step) => (step.kind === 'open' && !opened.has(step.revision) ? [step.revision] : []));
    opens.forEach((revision) => opened.add(revision));
    const isEarly = (step: Step): boolean => step.kind === 'outcome' && opens.includes(step.revision);
    return [...batch.filter(isEarly), ...batch.filter((step) => !isEarly(step))];
  });
}

test('any permutation of facts gives the jobs and histories that the pure fold gives', async () => {
  await fc.assert(
    fc.asyncProperty(batchesOfSteps, async (batches) => {
      const document = new Document();
      for (const batch of batches)
        await assemble(
          db,
          batch.map((step) => document.fact(step)),
        );
      const facts = inOrderOfTelling(batches)
        .filter(isAllocated)
        .map((step) => document.modelFact(step));
      await expectSame(document, foldDocument({ tenantId, documentId: document.id }, facts));
    }),
    { numRuns: 60 },
  );
}, 120_000);

async function expectSame(document: Document, model: DocumentModel): Promise<void> {
  for (const revision of revisions) {
    const { jobId } = document.eventOf(revision);
    const expected = model.jobs.get(revision);
    const stored = (await db.transaction((tx) => lockJobs(tx, [jobId]))).get(jobId)?.job;
    expect(withoutDeadline(stored)).toEqual(withoutDeadline(expected));
    const history = await getHistory(db, tenantId, { jobId });
    const events = history.map(({ type, data }) => ({ type, ...data }) as JobEvent);
    expect(events.map(withoutDeadline)).toEqual(model.histories.get(revision)?.map(withoutDeadline));
    // The history alone rebuilds the projection.
    expect(events.reduce<Job | null>(evolve, null)).toEqual(stored);
  }
  const published = await db.query<{ n: number }>('SELECT count(*)::int AS n FROM outbox WHERE document_id = $1', [
    document.id,
  ]);
  const settlements = [...model.jobs.values()].reduce((sum, { resultVersion }) => sum + resultVersion, 0);
  expect(published).toEqual([{ n: settlements }]);
}

const withoutDeadline = (value: unknown): unknown => ({ ...(value as object), deadlineAt: undefined });
