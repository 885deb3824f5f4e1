import { collectDefaultMetrics, Counter, Registry } from 'prom-client';

/** A registry of its own for each service, also where several share a process. */
export function createServiceMetrics(service: string): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  return registry;
}

/** Memory, CPU and event loop of the process: once, whatever it hosts. */
export function createProcessMetrics(label: string, ownExits = 0): Registry {
  const registry = createServiceMetrics(label);
  collectDefaultMetrics({ register: registry });
  const exits = new Counter({
    name: 'anabranch_own_exits_total',
    help: 'Ends of this process by its own fault (heap limit, watchdog, uncaught error) that its launcher has seen.',
    registers: [registry],
  });
  exits.inc(ownExits);
  return registry;
}

/**
 * All registries as one page in Prometheus' text format. prom-client's own merge refuses two services with a metric of
 * the same name, so the pages are merged: one HELP and TYPE per name, then the samples of all.
 */
export async function renderMetrics(registries: readonly Registry[]): Promise<string> {
  const pages = await Promise.all(registries.map((registry) => registry.metrics()));
  const samples = new Map<string, string[]>();
  for (const block of pages.flatMap((page) => page.split('\n\n'))) {
    const [help, type, ...lines] = block.trimEnd().split('\n');
    if (help === undefined || type === undefined) continue;
    const metric = type.split(' ')[2] ?? type;
    const merged = samples.get(metric) ?? [help, type];
    samples.set(metric, [...merged, ...lines]);
  }
  return `${[...samples.values()].map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

export const metricsContentType = Registry.PROMETHEUS_CONTENT_TYPE;
