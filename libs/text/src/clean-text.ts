import { hash } from 'node:crypto';

// Every reader of a document cleans its text with this one function before it hashes or measures it: text that came
// straight through Kafka never passed ingestion, and offsets and hashes must still agree (semantics §1).
const changing = /[\p{Cc}--[\t\n\r\u0080-\u009f]]/v;

const [tab, lineFeed, verticalTab, formFeed, carriageReturn, space, del] = [0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x20, 0x7f];

/** Code units cleaned at a time; what is cleaned are single code units, so a slice may end anywhere. */
const sliceLength = 65_536;

/**
 * The text as the platform keeps it: lone surrogates become U+FFFD, form feed and vertical tab become a line feed,
 * NUL, DEL and the other C0 controls go, tab, CR and LF stay. Line ends are not normalised, so offsets hold for what
 * `GET /v1/jobs/{id}/text` returns. Idempotent.
 */
export function cleanText(raw: string): string {
  const wellFormed = raw.toWellFormed();
  if (!changing.test(wellFormed)) return wellFormed;
  const slices: string[] = [];
  for (let begin = 0; begin < wellFormed.length; begin += sliceLength) {
    const slice = wellFormed.slice(begin, begin + sliceLength);
    slices.push(changing.test(slice) ? cleanSlice(slice) : slice);
  }
  return slices.join('');
}

/** Unit by unit: a replacement of a pattern keeps all matches, and a document may be ten million controls. */
function cleanSlice(slice: string): string {
  const units = new Uint16Array(slice.length);
  let length = 0;
  for (let index = 0; index < slice.length; index += 1) {
    const unit = slice.charCodeAt(index);
    // Page breaks part words: a removed one would glue the last word of a page to the first of the next.
    if (unit === formFeed || unit === verticalTab) units[length++] = lineFeed;
    else if (!isDropped(unit)) units[length++] = unit;
  }
  return Buffer.from(units.buffer, 0, length * units.BYTES_PER_ELEMENT).toString('utf16le');
}

const isDropped = (unit: number): boolean =>
  unit === del || (unit < space && unit !== tab && unit !== lineFeed && unit !== carriageReturn);

/** SHA-256 of a cleaned text's UTF-8 bytes, lower-case hex. */
export function textSha256(cleaned: string): string {
  return hash('sha256', cleaned);
}

/** Whether a cleaned text has nothing to analyse: empty, or white space and invisible format characters only. */
export function isBlank(cleaned: string): boolean {
  return !/[^\s\p{Cc}\p{Cf}\p{Z}]/u.test(cleaned);
}
