import { Problem } from '../http/problem.js';

/**
 * The labels in an `X-Document-Metadata` header: `key=value,key=value`, percent-encoded UTF-8, as in W3C Baggage. Not in
 * the query, because labels are confidential and addresses are logged everywhere. Throws the problem INVALID_REQUEST.
 */
export function parseMetadataHeader(header: string | undefined): Record<string, string> {
  const members = (header ?? '').split(',').filter((member) => member.trim() !== '');
  return Object.fromEntries(members.map(parseMember));
}

function parseMember(member: string): [string, string] {
  const separator = member.indexOf('=');
  if (separator === -1) throw malformed();
  return [decode(member.slice(0, separator)), decode(member.slice(separator + 1))];
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part.trim());
  } catch (error) {
    throw malformed(error);
  }
}

function malformed(cause?: unknown): Problem {
  return new Problem(
    'INVALID_REQUEST',
    'Correct the header X-Document-Metadata: write key=value pairs, separated by commas, percent-encoded.',
    { cause },
  );
}
