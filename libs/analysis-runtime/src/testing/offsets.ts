/** A value within a result that claims a place in the text. */
export interface Claim {
  begin: number;
  end: number;
  /** What is claimed to stand there, when the value says it. */
  text?: string;
}

/** Every value in a result that has `begin` and `end`, at any depth. */
export function claimsIn(value: unknown): Claim[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = 'begin' in value && typeof value.begin === 'number' && 'end' in value ? [value as Claim] : [];
  return [...own, ...Object.values(value).flatMap(claimsIn)];
}

/** text[begin, end) in Unicode code points. */
export function codePoints(text: string, { begin, end }: Claim): string {
  return Array.from(text).slice(begin, end).join('');
}
