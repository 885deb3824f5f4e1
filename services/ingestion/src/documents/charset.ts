// Which characters do the bytes mean? A byte order mark decides; else the declared character set; else UTF-8 if it is
// valid; else windows-1252, which any bytes are. Labels and decoders are those of the WHATWG Encoding Standard.
import { isUtf8 } from 'node:buffer';
import { TextDecoder } from 'node:util';
import { Problem } from '../http/problem.js';

/** Text, and the name of the character set that it was read in, such as `utf-8` or `windows-1252`. */
export interface DecodedText {
  text: string;
  charset: string;
}

const byteOrderMarks = [
  { charset: 'utf-8', bytes: [0xef, 0xbb, 0xbf] },
  { charset: 'utf-16le', bytes: [0xff, 0xfe] },
  { charset: 'utf-16be', bytes: [0xfe, 0xff] },
] as const;

/**
 * Decodes a body; `declared` is the charset parameter of its Content-Type.
 * Throws the problems UNSUPPORTED_CHARSET, and INVALID_ENCODING when the bytes are not what the mark or the header says.
 */
export function decodeText(bytes: Uint8Array, declared?: string): DecodedText {
  const label = markedCharset(bytes) ?? declared;
  if (label === undefined) return decodeUndeclared(bytes);
  const decoder = decoderOf(label);
  try {
    return { text: decoder.decode(bytes), charset: decoder.encoding };
  } catch (error) {
    throw new Problem(
      'INVALID_ENCODING',
      `The body is not valid ${decoder.encoding}, although its Content-Type or byte order mark says so. ` +
        'Send the right charset, or leave it out to have it recognised.',
      { cause: error },
    );
  }
}

function markedCharset(bytes: Uint8Array): string | undefined {
  return byteOrderMarks.find((mark) => mark.bytes.every((byte, index) => bytes[index] === byte))?.charset;
}

function decodeUndeclared(bytes: Uint8Array): DecodedText {
  const charset = isUtf8(bytes) ? 'utf-8' : 'windows-1252';
  return { text: new TextDecoder(charset).decode(bytes), charset };
}

function decoderOf(label: string): TextDecoder {
  try {
    return new TextDecoder(label, { fatal: true });
  } catch (error) {
    throw new Problem(
      'UNSUPPORTED_CHARSET',
      'The charset in Content-Type is not known. Use a label of the WHATWG Encoding Standard, best utf-8.',
      { cause: error },
    );
  }
}
