import type { Metric, Registry } from 'prom-client';

/** Makes a metric, or finds the one that an earlier consumer or producer of this service made. */
export function once<M extends Metric>(registry: Registry, name: string, create: () => M): M {
  return (registry.getSingleMetric(name) as M | undefined) ?? create();
}
