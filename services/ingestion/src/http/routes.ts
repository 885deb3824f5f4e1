/** The routes that exist, to tell "no such address" from "not with this method". */
export interface RouteTable {
  add(methods: string | readonly string[], pattern: string): void;
  /** The methods that the address takes, sorted; empty when there is no such address. */
  methodsOf(path: string): string[];
}

/** An empty table; patterns are Fastify's, such as `/v1/jobs/:id`. */
export function createRouteTable(): RouteTable {
  const routes: { method: string; segments: string[] }[] = [];
  return {
    add: (methods, pattern) => {
      for (const method of [methods].flat()) routes.push({ method, segments: pattern.split('/') });
    },
    methodsOf: (path) => {
      const segments = path.split('/');
      const matching = routes.filter((route) => isMatch(route.segments, segments));
      return [...new Set(matching.map(({ method }) => method))].sort();
    },
  };
}

function isMatch(pattern: readonly string[], path: readonly string[]): boolean {
  if (pattern.length !== path.length) return false;
  return pattern.every((segment, index) => {
    const actual = path[index] ?? '';
    return segment.startsWith(':') ? actual !== '' : segment === actual;
  });
}
