import { decodeNumbers, encodeNumber } from './compact-numbers.js';
import {
  encodeStretches,
  maxMetadataCharacters,
  metadataPrefix,
  sectionMark,
  type EncodedStretches,
  type Stretch,
} from './finished-stretches.js';
import type { Stage, Suspicion } from './suspicion.js';

// The metadata of a commit: `ab1:`, the finished stretches, and then sections that begin with a semicolon and a letter. A
// reader passes over sections that it does not know, so that a newer version may add one.

const suspicionSection = 's';
const stages: readonly Stage[] = ['try', 'rest', 'bury', 'bury-unread'];
const runPattern = /^[A-Za-z0-9]{0,32}$/;

/** What a commit says besides its offset. */
export interface CommitStatement {
  readonly finished: Iterable<Stretch>;
  readonly suspicion: Suspicion | undefined;
}

/** A suspicion always fits: stretches that do not only cost repeats. */
export function encodeMetadata(offset: number, { finished, suspicion }: CommitStatement): EncodedStretches {
  const section = suspicion === undefined ? '' : encodeSuspicion(offset, suspicion);
  const { text, dropped } = encodeStretches(offset, finished, maxMetadataCharacters - section.length);
  return { text: section === '' ? text : (text || metadataPrefix) + section, dropped };
}

/** The suspicion that was committed with an offset. What is damaged, or somebody else's, says nothing. */
export function decodeSuspicion(offset: number, metadata: string | null | undefined): Suspicion | undefined {
  if (!metadata?.startsWith(metadataPrefix)) return undefined;
  const [, ...sections] = metadata.split(sectionMark);
  const section = sections.find((text) => text.startsWith(suspicionSection));
  const [text = '', run = ''] = section?.slice(suspicionSection.length).split('.') ?? [];
  const [group, halved, rest, isAlone, exits, stageIndex, restMs, ...more] = decodeNumbers(text) ?? [];
  const stage = stages[stageIndex ?? stages.length];
  if (group === undefined || halved === undefined || rest === undefined || exits === undefined) return undefined;
  if (stage === undefined || restMs === undefined || more.length > 0 || !runPattern.test(run)) return undefined;
  const groupEnd = offset + group;
  const halvedEnd = groupEnd + halved;
  const state = { end: halvedEnd + rest, halvedEnd, groupEnd, isAlone: isAlone === 1, exits, stage, restMs };
  return run === '' ? state : { ...state, triedBy: run };
}

function encodeSuspicion(offset: number, suspicion: Suspicion): string {
  const { end, halvedEnd, groupEnd, isAlone, exits, stage, restMs, triedBy = '' } = suspicion;
  const distances = [Math.max(0, groupEnd - offset), halvedEnd - Math.max(offset, groupEnd), end - halvedEnd];
  const state = [Number(isAlone), exits, stages.indexOf(stage), Math.round(restMs)];
  const numbers = [...distances.map((distance) => Math.max(0, distance)), ...state];
  return `${sectionMark}${suspicionSection}${numbers.map(encodeNumber).join('')}.${triedBy}`;
}
