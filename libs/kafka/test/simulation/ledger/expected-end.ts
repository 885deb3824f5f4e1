import type { PlannedRecord } from '../schedule.js';

/** How a record can come to its end. */
export type End = 'handled' | 'dead letter' | 'refusal' | 'deferral';

/** How this one has to. */
export function expectedEnd({ behaviour, encoding }: PlannedRecord, canDefer: boolean): End {
  if (encoding === 'unknown' || encoding === 'garbage') return 'dead letter';
  if (behaviour === 'is refused') return 'refusal';
  if (behaviour.includes('far later')) return canDefer ? 'deferral' : 'dead letter';
  return /always|poison|ends its process/.test(behaviour) ? 'dead letter' : 'handled';
}
