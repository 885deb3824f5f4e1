import { isUtf8 } from 'node:buffer';
import { TextDecoder } from 'node:util';
import { Problem } from '../http/problem.js';
import { brokenBound } from './json-shape.js';

/** Deeper than any body of ours, and far from where a parser suffers. */
export const jsonMaxDepth = 32;
/** A text within the limit may be twice as long as a JSON string (a line end is two characters), plus its options. */
export const jsonMaxBytes = (maxDocumentBytes: number): number => 2 * maxDocumentBytes + 65_536;

/** Beyond the largest rules. */
const defaultMaxMembers = 500_000;

/**
 * The value that the bytes are, as JSON in UTF-8. Throws the problem INVALID_JSON, with the place of the fault where the
 * engine tells it: its own message is not used, for it quotes the document. Throws INVALID_REQUEST for JSON that is nested too
 * deeply, or has too many members: its parsed form may take a hundred times the memory of its bytes. `wanted` is what an empty body should have been.
 */
export function parseJson(
  bytes: Uint8Array,
  wanted = 'a JSON object with a field "text"',
  maxMembers = defaultMaxMembers,
): unknown {
  if (!isUtf8(bytes)) {
    throw new Problem('INVALID_JSON', 'JSON is always UTF-8 (RFC 8259), and the body is not. Encode it so.');
  }
  assertBounded(bytes, maxMembers);
  // Unlike Buffer's own decoding, this one drops a byte order mark.
  const text = new TextDecoder('utf-8').decode(bytes);
  if (text.trim() === '') throw new Problem('INVALID_JSON', `The body is empty. Send ${wanted}.`);
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    const place = /at position \d+( \(line \d+ column \d+\))?/.exec(String(error))?.[0];
    throw new Problem('INVALID_JSON', `Send valid JSON: it has a fault ${place ?? 'at its end'}.`);
  }
}

function assertBounded(bytes: Uint8Array, maxMembers: number): void {
  const bounds = { maxDepth: jsonMaxDepth, maxMembers };
  const broken = brokenBound(bytes, bounds);
  if (broken === null) return;
  const message =
    broken === 'maxDepth'
      ? `is nested deeper than ${jsonMaxDepth} levels`
      : `has more than ${maxMembers} members in its objects and arrays`;
  const extensions = { errors: [{ field: 'body', message }], [broken]: bounds[broken] };
  throw new Problem('INVALID_REQUEST', `Send simpler JSON: the body ${message}.`, { extensions });
}
