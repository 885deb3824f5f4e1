const wordsOf = (text: string): string[] => text.toLowerCase().match(/[a-z0-9]+/g) ?? [];

const countsOf = (words: readonly string[]): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
};

/** ROUGE-1 (Lin, 2004): F1 of the words that summary and reference share, without stemming. */
export function rouge1(summary: string, reference: string): number {
  const [ours, theirs] = [wordsOf(summary), wordsOf(reference)];
  const counts = countsOf(theirs);
  let shared = 0;
  for (const [word, count] of countsOf(ours)) shared += Math.min(count, counts.get(word) ?? 0);
  return (2 * shared) / Math.max(1, ours.length + theirs.length);
}
