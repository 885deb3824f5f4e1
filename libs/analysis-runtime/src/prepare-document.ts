import type { DocumentIngested } from '@anabranch/contracts';
import { PoisonMessage } from '@anabranch/failures';
import { cleanText, createOffsets, textSha256 } from '@anabranch/text';
import type { AnalysedDocument } from './define-analysis.js';
import { type RawText, textTooLarge } from './load-text.js';
import { takeTurn } from './turns.js';

export interface PrepareOptions {
  raw: RawText;
  language: string | null;
  /** In code points. */
  maxCharacters: number;
  signal: AbortSignal;
}

// Up to here one step over a text takes well under a millisecond.
const shortText = 262_144;

const decode = (raw: RawText): string =>
  typeof raw === 'string' ? raw : Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength).toString('utf8');

/**
 * Decodes and cleans a document's text, and checks it against the event's hash and the limit. Gives way between its
 * steps when the text is long.
 * @param event as `completeIngested` returned it
 * @throws PoisonMessage TEXT_TOO_LARGE, CONTENT_MISMATCH
 */
export async function prepareDocument(event: DocumentIngested, options: PrepareOptions): Promise<AnalysedDocument> {
  const { raw, language, maxCharacters, signal } = options;
  const giveWay = async (): Promise<void> => (raw.length > shortText ? takeTurn(signal) : undefined);
  await giveWay();
  const decoded = decode(raw);
  await giveWay();
  const text = cleanText(decoded);
  await giveWay();
  const sha256 = textSha256(text);
  if (event.textSha256 !== '' && event.textSha256 !== sha256) {
    throw new PoisonMessage('CONTENT_MISMATCH', 'The cleaned text has another SHA-256 than the event says.');
  }
  await giveWay();
  const offsets = createOffsets(text);
  if (offsets.length > maxCharacters) throw textTooLarge(maxCharacters);
  const { tenantId, documentId, revision, jobId, mediaType, metadata } = event;
  return { tenantId, documentId, revision, jobId, text, textSha256: sha256, offsets, language, mediaType, metadata };
}

/**
 * The hash of the text, as far as it is known without loading anything: for an outcome about a document that could not
 * be read. Empty when the text is a claim check whose event does not say it.
 */
export function knownTextSha256({ textSha256: announced, text }: DocumentIngested): string {
  return announced === '' && text !== null ? textSha256(cleanText(text)) : announced;
}
