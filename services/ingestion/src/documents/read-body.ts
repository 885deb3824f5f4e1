// The doors of POST /v1/documents: JSON, or the text itself. Both give the same request, or a problem that says what to do.
import { Problem } from '../http/problem.js';
import { validate } from '../http/validate.js';
import { decodeText } from './charset.js';
import {
  documentBody,
  rawDocumentQuery,
  rawMetadata,
  textMediaTypes,
  type DocumentRequest,
  type TextMediaType,
} from './document-request.js';
import { parseJson } from './json-body.js';
import { parseMetadataHeader } from './metadata-header.js';

/** What arrived. `body` is undefined when there was none. */
export interface IncomingDocument {
  contentType: string | undefined;
  query: Record<string, unknown>;
  metadataHeader: string | undefined;
  body: Buffer | undefined;
}

/** All media types that the body may have. */
export const bodyMediaTypes = ['application/json', ...textMediaTypes] as const;

/** Reads a document from its request; `maxBytes` bounds its text. Throws a Problem. */
export function readDocument(incoming: IncomingDocument, maxBytes: number): DocumentRequest {
  const { mediaType, charset } = parseContentType(incoming.contentType);
  const bytes = incoming.body ?? Buffer.alloc(0);
  if (mediaType === 'application/json') {
    if (charset !== undefined && !/^utf-?8$/i.test(charset)) {
      throw new Problem('UNSUPPORTED_CHARSET', 'JSON is always UTF-8 (RFC 8259). Send it so, without a charset.');
    }
    assertNoRawOptions(incoming);
    return readJsonDocument(bytes, maxBytes);
  }
  if (isTextMediaType(mediaType)) return readRawDocument(incoming, { mediaType, charset, bytes, maxBytes });
  throw unsupportedMediaType();
}

/** The problem for a body that is of no type of ours. */
export function unsupportedMediaType(): Problem {
  return new Problem('UNSUPPORTED_MEDIA_TYPE', `Send the document with one of these Content-Types: ${list()}.`, {
    extensions: { accepted: bodyMediaTypes },
    headers: { 'accept-post': list() },
  });
}

/** The problem for a document beyond the limit. */
export function documentTooLarge(maxBytes: number): Problem {
  return new Problem('DOCUMENT_TOO_LARGE', `A document may have ${maxBytes} bytes. Split it into several documents.`, {
    extensions: { maxBytes },
  });
}

/** Far more than a document may have: 50 labels, 100 analyses, and its fields. */
const documentMaxMembers = 10_000;

const list = (): string => bodyMediaTypes.join(', ');

/** An option in the wrong place must not be ignored in silence. */
function assertNoRawOptions({ query, metadataHeader }: IncomingDocument): void {
  if (Object.keys(query).length === 0 && metadataHeader === undefined) return;
  const detail =
    'Move the options from the query and X-Document-Metadata into the JSON body; they belong to raw bodies.';
  throw new Problem('INVALID_REQUEST', detail);
}

function readJsonDocument(bytes: Buffer, maxBytes: number): DocumentRequest {
  const body = parseJson(bytes, undefined, documentMaxMembers);
  if (isObject(body) && body.text === undefined) {
    throw new Problem('MISSING_TEXT', 'Give the document as the string field "text"; an empty string is allowed.');
  }
  const request = { ...validate(documentBody, body, 'body'), charset: 'utf-8' };
  if (Buffer.byteLength(request.text) > maxBytes) throw documentTooLarge(maxBytes);
  return request;
}

interface RawDocument {
  mediaType: TextMediaType;
  charset: string | undefined;
  bytes: Buffer;
  maxBytes: number;
}

function readRawDocument(incoming: IncomingDocument, { mediaType, charset, bytes, maxBytes }: RawDocument) {
  if (bytes.length > maxBytes) throw documentTooLarge(maxBytes);
  const options = validate(rawDocumentQuery, incoming.query, 'query');
  const labels = parseMetadataHeader(incoming.metadataHeader);
  const metadata = validate(rawMetadata, labels, 'header');
  return { ...options, metadata, mediaType, ...decodeText(bytes, charset) };
}

function parseContentType(header: string | undefined): { mediaType: string; charset: string | undefined } {
  const [type = '', ...parameters] = (header ?? '').split(';');
  const charset = parameters
    .map((parameter) => /^\s*charset\s*=\s*("?)([^"\s]*)\1\s*$/i.exec(parameter)?.[2])
    .find((value) => value !== undefined && value !== '');
  return { mediaType: type.trim().toLowerCase(), charset };
}

function isTextMediaType(mediaType: string): mediaType is TextMediaType {
  return textMediaTypes.some((known) => known === mediaType);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
