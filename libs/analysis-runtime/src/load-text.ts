import type { DocumentIngested } from '@anabranch/contracts';
import { PoisonMessage } from '@anabranch/failures';
import type { ObjectStore } from '@anabranch/object-store';

/** A document's text as it arrives: inline, or its bytes in UTF-8. */
export type RawText = string | Uint8Array;

export interface LoadOptions {
  store: Pick<ObjectStore, 'get'>;
  /** In code points. */
  maxCharacters: number;
}

// No code point takes more bytes in UTF-8, nor more UTF-16 units.
const maxBytesPerCharacter = 4;
const maxUnitsPerCharacter = 2;

/** The failure of a text that is longer than an analysis accepts. */
export function textTooLarge(maxCharacters: number): PoisonMessage {
  const message = `The text is longer than the limit of ${maxCharacters} characters. Send it in parts.`;
  return new PoisonMessage('TEXT_TOO_LARGE', message);
}

/**
 * Loads a document's text, inline or by claim check. What is announced as too large is not loaded.
 * @param event as `completeIngested` returned it
 * @throws PoisonMessage TEXT_TOO_LARGE, INVALID_EVENT, CONTENT_MISSING, CONTENT_MISMATCH; DependencyUnavailable
 */
export async function loadText({ text, textRef, tenantId }: DocumentIngested, options: LoadOptions): Promise<RawText> {
  const { store, maxCharacters } = options;
  if (text !== null) {
    if (text.length > maxCharacters * maxUnitsPerCharacter) throw textTooLarge(maxCharacters);
    return text;
  }
  if (textRef === null) throw new PoisonMessage('INVALID_EVENT', 'The event has neither text nor textRef.');
  if (textRef.bytes > maxCharacters * maxBytesPerCharacter) throw textTooLarge(maxCharacters);
  return store.get(textRef, tenantId);
}
