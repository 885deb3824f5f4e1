import { decodeNumbers, encodeNumber } from './compact-numbers.js';

/** Offsets from `begin` on, up to but not including `end`, that are all finished. */
export interface Stretch {
  readonly begin: number;
  readonly end: number;
}

/** A broker takes 4,096 UTF-16 units of metadata per committed offset, unless it is configured otherwise. */
export const maxMetadataCharacters = 4_000;

/** Says whose metadata it is, and in which form. */
export const metadataPrefix = 'ab1:';

/** What stands between the stretches and what else a commit says; see `commit-metadata.ts`. */
export const sectionMark = ';';

export interface EncodedStretches {
  /** Empty when there is nothing to carry. */
  readonly text: string;
  /** How many finished offsets did not fit. */
  readonly dropped: number;
}

/**
 * Packs the finished stretches above a committed offset into its metadata: the distance to each one and its length, lowest
 * first. A thousand stretches with short gaps take two thousand characters.
 * @param maxCharacters what the text may take
 */
export function encodeStretches(
  offset: number,
  stretches: Iterable<Stretch>,
  maxCharacters = maxMetadataCharacters,
): EncodedStretches {
  let text = '';
  let dropped = 0;
  let position = offset;
  for (const { begin, end } of stretches) {
    const pair = encodeNumber(begin - position) + encodeNumber(end - begin);
    // What lies further up waits for what is below it anyway: the lowest stretches are worth the most.
    if (dropped > 0 || metadataPrefix.length + text.length + pair.length > maxCharacters) dropped += end - begin;
    else text += pair;
    position = end;
  }
  return { text: text === '' ? '' : metadataPrefix + text, dropped };
}

/** The stretches that were committed with an offset. Metadata of somebody else, or a damaged one, says nothing. */
export function decodeStretches(offset: number, metadata: string | null | undefined): Stretch[] {
  if (!metadata?.startsWith(metadataPrefix)) return [];
  const [text = ''] = metadata.slice(metadataPrefix.length).split(sectionMark, 1);
  const numbers = decodeNumbers(text);
  if (numbers === undefined || numbers.length % 2 !== 0) return [];
  const stretches: Stretch[] = [];
  let position = offset;
  for (let index = 0; index < numbers.length; index += 2) {
    const begin = position + (numbers[index] as number);
    position = begin + (numbers[index + 1] as number);
    stretches.push({ begin, end: position });
  }
  return stretches;
}
