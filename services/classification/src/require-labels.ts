import { failureCodes, Refused } from '@anabranch/failures';
import type { Taxonomy } from '@anabranch/rules';

/** A taxonomy without labels is refused, by name: there is nothing to choose from. */
export function requireLabels({ id, labels }: Taxonomy): void {
  if (labels.length === 0) throw new Refused('NO_LABELS', `${failureCodes.NO_LABELS.text} It is ${id}.`);
}
