// The shapes of the API's answers: they feed its OpenAPI document, and the tests hold every answer against them. Loose,
// because a client must expect further fields.
import { jobStates } from '@anabranch/job';
import { z } from 'zod';
import { queryNumber, wholeNumber } from '../http/whole-number.js';
import { offsetUnits } from './result-json.js';

const time = z.iso.datetime();
const analysisState = z.enum(['waiting', 'done', 'refused', 'failed', 'late']);
const link = z.string().meta({ description: 'Path of the resource.' });

export const jobSchema = z
  .looseObject({
    id: z.uuid(),
    documentId: z.string(),
    revision: z.int().meta({ description: 'Rises with each new content of the document.' }),
    state: z.enum(jobStates),
    reason: z.string().nullable().meta({ description: 'Why the state is what it is, where it does not say it all.' }),
    supersededBy: z.int().nullable().meta({ description: 'The newer revision, when the job is superseded.' }),
    createdAt: time,
    updatedAt: time,
    deadlineAt: time.meta({ description: 'When outstanding analyses count as late.' }),
    analyses: z.record(z.string(), analysisState).meta({ description: 'Each requested analysis with its outcome.' }),
    runs: z.record(z.string(), z.int()).meta({ description: 'The newest run of each analysis that was asked for.' }),
    waits: z
      .record(z.string(), z.looseObject({ reason: z.string(), until: time }))
      .optional()
      .meta({
        description:
          'Which analyses wait for somebody else, such as the provider of a model: why, and until when at least. Left out where none does, and in lists.',
      }),
    resultVersion: z.int().meta({ description: 'Number of the last settlement; 0 before the first.' }),
    sequence: z.int().meta({ description: 'Number of the last event in the history.' }),
    links: z.looseObject({ self: link, result: link, text: link, events: link, why: link, document: link }),
  })
  .meta({ id: 'Job' });

export const jobPageSchema = z
  .looseObject({
    jobs: z.array(jobSchema).meta({ description: 'Newest first.' }),
    nextCursor: z.string().nullable().meta({ description: 'Give it as cursor for the next page; null on the last.' }),
  })
  .meta({ id: 'JobPage' });

const receiptEntry = z
  .looseObject({
    outcome: analysisState,
    run: z.int(),
    code: z.string().optional().meta({ description: 'Why it was refused, or failed.' }),
    message: z.string().optional(),
    engine: z.looseObject({}).optional().meta({ description: 'Who made the result.' }),
    coverage: z.looseObject({}).optional().meta({ description: 'How much of the text was read, in code points.' }),
    usage: z.looseObject({}).nullable().optional().meta({ description: 'What it cost; null for free engines.' }),
    language: z.string().optional().meta({ description: 'BCP 47 tag of the text’s language, when known.' }),
    warnings: z.array(z.string()).optional().meta({ description: 'What a reader of the result should know.' }),
    finishedAt: time.nullable().optional().meta({ description: 'When it ended; null when late.' }),
  })
  .meta({ id: 'ReceiptEntry' });

export const resultSchema = z
  .looseObject({
    jobId: z.uuid(),
    documentId: z.string(),
    revision: z.int(),
    state: z.enum(jobStates),
    reason: z.string().optional().meta({ description: 'Why the state is what it is, where it does not say it all.' }),
    supersededBy: z.int().optional().meta({ description: 'The newer revision, when the job is superseded.' }),
    resultVersion: z.int().meta({ description: 'Rises with each settlement: a higher one replaces a lower one.' }),
    resultDigest: z.string().optional().meta({ description: 'Of all outcomes; left out when there are none.' }),
    final: z.boolean().meta({ description: 'False while an outcome is late and may still come.' }),
    offsets: z.enum(offsetUnits).meta({ description: 'What begin and end in the results count.' }),
    receipt: z
      .looseObject({
        complete: z.boolean().meta({ description: 'Whether every requested analysis is done.' }),
        analyses: z.record(z.string(), receiptEntry),
      })
      .meta({ id: 'Receipt' }),
    results: z.record(z.string(), z.unknown()).meta({
      description:
        'By analysis, in the shape of its schema; what is null is left out, unless the schema says what null means there. ' +
        'Empty where the state does not let results be published.',
    }),
  })
  .meta({ id: 'Result' });

/** What `POST /v1/documents` answers with 200. */
export const settledOrJobSchema = z.union([jobSchema, resultSchema]);

export const historySchema = z
  .looseObject({
    jobId: z.uuid(),
    events: z.array(
      z.looseObject({
        number: z.int().meta({ description: 'From 1, without gaps.' }),
        type: z.string(),
        at: time,
        data: z.looseObject({}),
      }),
    ),
  })
  .meta({ id: 'History' });

const moment = z.iso
  .datetime({
    offset: true,
    error: 'must be a time with its offset, such as 2026-03-01T12:00:00Z (+ is %2B in an address)',
  })
  .transform((value) => new Date(value))
  .optional();

/** No document has such an id, and Postgres refuses a NUL as a fault of the query. */
const storable = z
  .string()
  .min(1)
  .max(512)
  .refine((value) => !/\p{Cc}/u.test(value), 'Has control characters');

/** The query of `GET /v1/jobs`. */
export const jobQuery = z.strictObject({
  state: z.enum(jobStates).optional().meta({ description: 'Only jobs in this state.' }),
  documentId: storable.optional().meta({ description: 'Only jobs of this document.' }),
  createdAfter: moment.meta({ description: 'Only jobs created at this time or later (RFC 3339).' }),
  createdBefore: moment.meta({ description: 'Only jobs created before this time (RFC 3339).' }),
  cursor: z.string().min(1).max(200).optional().meta({ description: 'The nextCursor of the page before.' }),
  limit: queryNumber(1, 200, { default: 50, description: 'Jobs on a page.' }),
});

/** The query of `GET /v1/jobs/{id}/result`. */
export const resultQuery = z.strictObject({
  offsets: z
    .enum(offsetUnits)
    .default('code-points')
    .meta({
      description:
        'What begin and end in the results count: Unicode code points of the text, or the UTF-16 units in which ' +
        'JavaScript, Java and .NET index strings. Both from 0, and end is exclusive.',
    }),
});

/** The query of `GET /v1/jobs/{id}/events`. */
export const historyQuery = z.strictObject({
  after: queryNumber(0, 2_147_483_647, { default: 0, description: 'Only events with a higher number.' }),
  limit: queryNumber(1, 1_000, { default: 200, description: 'Most events of an answer.' }),
});

/** The body of `POST /v1/jobs/{id}/cancel`. */
export const cancelBody = z.strictObject({
  reason: z
    .string()
    .trim()
    .min(1)
    .max(500)
    .refine((text) => !/\p{Cc}/u.test(text) && text.isWellFormed(), 'must not have control characters')
    .default('Cancelled by the client.')
    .meta({ description: 'Why: shown with the job, and in document.enriched.' }),
});

/** The body of `POST /v1/jobs/{id}/analyses/{name}/runs`. */
export const runBody = z.strictObject({
  expectedRun: wholeNumber(1, 2_147_483_646).meta({ description: 'The newest run that you know of.' }),
  fresh: z.boolean().default(false).meta({ description: 'Whether to buy again what was bought before.' }),
});

export const runSchema = z
  .looseObject({
    jobId: z.uuid(),
    analysis: z.string(),
    run: z.int().meta({ description: 'Number of the run.' }),
    links: z.looseObject({ job: link, result: link }),
  })
  .meta({ id: 'Run' });
