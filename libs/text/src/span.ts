/** A piece of a string, in UTF-16 units, end exclusive. */
export interface Span {
  begin: number;
  end: number;
}

/** Spans that touch none of the others. Both lists are in order and without overlap within themselves. */
export function apartFrom<T extends Span>(spans: readonly T[], others: readonly Span[]): T[] {
  let next = 0;
  return spans.filter(({ begin, end }) => {
    while ((others[next]?.end ?? Infinity) <= begin) next += 1;
    return (others[next]?.begin ?? Infinity) >= end;
  });
}

/**
 * Of spans that overlap, the one that begins first, and of those the longest, in order: "New York City", not "York". Sorts
 * what it is given.
 */
export function withoutOverlap<T extends Span>(spans: T[]): T[] {
  spans.sort((one, other) => one.begin - other.begin || other.end - one.end);
  let free = 0;
  return spans.filter(({ begin, end }) => {
    const isFree = begin >= free;
    if (isFree) free = end;
    return isFree;
  });
}
