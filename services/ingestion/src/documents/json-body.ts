import { isUtf8 } from 'node:buffer';
import { TextDecoder } from 'node:util';
import { Problem } from '../http/problem.js';

/**
 * The value that the bytes are, as JSON in UTF-8. Throws the problem INVALID_JSON, with the place of the fault where the
 * engine tells it: its own message is not used, for it quotes the document.
 */
export function parseJson(bytes: Uint8Array): unknown {
  if (!isUtf8(bytes)) {
    throw new Problem('INVALID_JSON', 'JSON is always UTF-8 (RFC 8259), and the body is not. Encode it so.');
  }
  // Unlike Buffer's own decoding, this one drops a byte order mark.
  const text = new TextDecoder('utf-8').decode(bytes);
  if (text.trim() === '')
    throw new Problem('INVALID_JSON', 'The body is empty. Send a JSON object with a field "text".');
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    const place = /at position \d+( \(line \d+ column \d+\))?/.exec(String(error))?.[0];
    throw new Problem('INVALID_JSON', `Send valid JSON: it has a fault ${place ?? 'at its end'}.`);
  }
}
