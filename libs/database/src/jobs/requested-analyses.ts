/** The set that a job is asked for: what was named, or else all that the deployment has enabled. Sorted, each once. */
export function resolveAnalyses(requested: readonly string[], enabled: readonly string[]): string[] {
  return [...new Set(requested.length === 0 ? enabled : requested)].sort();
}

/** Why a job with this set cannot be processed, and the fix; null when it can. */
export function rejectionOf(resolved: readonly string[], enabled: readonly string[]): string | null {
  if (resolved.length === 0) return 'No analysis is enabled: write the catalogue, then send the document again.';
  const unknown = resolved.filter((name) => !enabled.includes(name));
  if (unknown.length === 0) return null;
  return `No such analysis: ${unknown.join(', ')}. Request some of ${enabled.join(', ') || 'none'}, with a higher revision.`;
}
