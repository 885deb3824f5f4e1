import { deadlineMaxMs } from '@anabranch/contracts';
import { z } from 'zod';
import { fromDigits, wholeNumber } from '../http/whole-number.js';

// Names, labels and ids go into logs, headers and Postgres: no control or invisible characters, no lone surrogates.
const unprintable = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/u;
// Values of labels may have several lines.
const unprintableInValue = /(?![\t\n\r])[\p{Cc}\p{Cs}]/u;

export const metadataMaxKeys = 50;
export const metadataMaxBytes = 16_384;

/** The media types in which a document's text may come. */
export const textMediaTypes = ['text/plain', 'text/markdown', 'text/html'] as const;
export type TextMediaType = (typeof textMediaTypes)[number];

const printable = (maxLength: number) =>
  z
    .string()
    .min(1)
    .max(maxLength)
    .refine((value) => !unprintable.test(value), 'Has characters that cannot be printed')
    .refine((value) => value === value.trim(), 'Begins or ends with white space');

// Clients take these for steps of a path, percent-encoded or not, and nobody could look at such a document.
const isStep = (id: string): boolean => id === '.' || id === '..';

const documentId = printable(256)
  .refine((id) => !isStep(id), 'must not be . or .., which no address can name')
  .meta({
    description: 'The document; the same id again is its next revision. Left out: derived from the text. Printable.',
    example: 'contract-2024-17',
  });

const analyses = z
  .array(z.string().min(1).max(64))
  .max(100)
  .meta({
    description: 'Names of analyses; left out or empty: all that the deployment offers.',
    example: ['summary', 'entity-extraction'],
  });

const metadata = z
  .record(
    printable(64),
    z
      .string()
      .max(1_024)
      .refine((value) => !unprintableInValue.test(value), 'Has control characters'),
  )
  .refine((labels) => Object.keys(labels).length <= metadataMaxKeys, `Has more than ${metadataMaxKeys} keys`)
  .refine(
    (labels) => Buffer.byteLength(JSON.stringify(labels)) <= metadataMaxBytes,
    `Is larger than ${metadataMaxBytes} bytes as JSON`,
  )
  .meta({
    description: `Labels of your own, carried to the enriched document: at most ${metadataMaxKeys}, values are strings.`,
    example: { author: 'Ada' },
  });

const deadlineMs = wholeNumber(0, deadlineMaxMs).meta({
  description: 'Milliseconds from acceptance until a job without all outcomes settles as partial. 0: default.',
});

const priority = z.enum(['LOW', 'NORMAL', 'HIGH']).meta({ description: 'Whose turn comes first.' });

const sensitivity = z
  .enum(['PUBLIC', 'INTERNAL', 'CONFIDENTIAL', 'RESTRICTED'])
  .meta({ description: 'How the document may be handled. From CONFIDENTIAL its text never travels inside an event.' });

const sourceEventId = printable(256).meta({ description: 'Id of the event in your own system.' });

const stream = z
  .boolean({ error: 'must be true or false' })
  .meta({ description: 'Whether progress is to be streamed.' });

/** What is said about a document, whichever way its text comes. */
const options = {
  documentId: documentId.optional(),
  analyses: analyses.default([]),
  deadlineMs: deadlineMs.default(0),
  priority: priority.default('NORMAL'),
  sensitivity: sensitivity.default('INTERNAL'),
  sourceEventId: sourceEventId.optional(),
  stream: stream.default(false),
};

/** The JSON body of `POST /v1/documents`. Unknown fields are refused: a misspelt option must not be ignored. */
export const documentBody = z
  .strictObject({
    text: z.string().meta({ description: 'The text, or the HTML source; may be empty.', example: 'Dear Ada, …' }),
    mediaType: z.enum(textMediaTypes).default('text/plain').meta({ description: 'What `text` is.' }),
    ...options,
    metadata: metadata.default({}),
  })
  .meta({ id: 'DocumentBody' });

const list = (value: unknown): unknown =>
  [value]
    .flat()
    .flatMap((item) => (typeof item === 'string' ? item.split(',') : item))
    .filter((item) => item !== '');

const flag = (value: unknown): unknown => (value === 'true' ? true : value === 'false' ? false : value);

/** The query of `POST /v1/documents` when the body is the raw text. */
export const rawDocumentQuery = z.strictObject({
  ...options,
  analyses: z.preprocess(list, analyses).default([]),
  deadlineMs: z.preprocess(fromDigits, deadlineMs).default(0),
  stream: z.preprocess(flag, stream).default(false),
});

/** The labels of a raw body, from its `X-Document-Metadata` header. */
export const rawMetadata = metadata;

/** A document as it was sent, read and checked, before its text is cleaned. */
export type DocumentRequest = z.infer<typeof documentBody> & {
  /** The character set that the text was read in. */
  charset: string;
};
