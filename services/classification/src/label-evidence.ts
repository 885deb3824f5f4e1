import type { LabelEvidence } from '@anabranch/contracts';
import type { Taxonomy } from '@anabranch/rules';
import type { Offsets, Span } from '@anabranch/text';

/** Where evidence comes from, as results call it. */
export type EvidenceSource = 'keyword' | 'pattern' | 'example';

/** One thing that speaks for a label at one place, in UTF-16 units of the text. */
export interface Hit extends Span {
  label: string;
  source: EvidenceSource;
  /** The keyword or pattern: what is counted. */
  rule: string;
}

/** What speaks for a label. */
interface LabelHits {
  /** How often each keyword and pattern was met. */
  counts: Map<string, number>;
  /** The first places. */
  places: LabelEvidence[];
}

/** Places listed for one label; all hits count. */
export const maxEvidence = 20;

/** Collects what speaks for each label of a taxonomy. */
export function createEvidence({ labels }: Taxonomy, text: string, offsets: Offsets) {
  const hitsOf = new Map<string, LabelHits>(labels.map(({ name }) => [name, { counts: new Map(), places: [] }]));

  const show = ({ label, source, begin, end }: Omit<Hit, 'rule'>): void => {
    const places = hitsOf.get(label)?.places ?? [];
    if (places.length >= maxEvidence) return;
    const place = { begin: offsets.toCodePoint(begin), end: offsets.toCodePoint(end) };
    places.push({ text: text.slice(begin, end), ...place, source });
  };

  return {
    show,
    add(hit: Hit): void {
      const counts = hitsOf.get(hit.label)?.counts;
      const rule = `${hit.source} ${hit.rule}`;
      counts?.set(rule, (counts.get(rule) ?? 0) + 1);
      show(hit);
    },
    /** A repeated keyword says less each time; several different ones say more. */
    weightOf(label: string): number {
      let weight = 0;
      for (const count of hitsOf.get(label)?.counts.values() ?? []) weight += Math.sqrt(count);
      return weight;
    },
    /** Where a label is met first, in code points. */
    firstPlaceOf: (label: string): number => hitsOf.get(label)?.places[0]?.begin ?? Infinity,
    /** The places of a label, in document order. */
    placesOf: (label: string): LabelEvidence[] =>
      (hitsOf.get(label)?.places ?? []).sort((one, other) => one.begin - other.begin || one.end - other.end),
  };
}

export type Evidence = ReturnType<typeof createEvidence>;
