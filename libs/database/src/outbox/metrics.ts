import { Counter, Gauge, type Registry } from 'prom-client';

/** What a relay counts, for its topic. */
export interface RelayMetrics {
  rows: Gauge.Internal<'topic'>;
  published: Counter.Internal;
  setAside: Counter.Internal;
  failedRows: Gauge.Internal<'topic'>;
  heldTenants: Gauge.Internal<'topic'>;
}

/** Several relays may share a registry. */
export function relayMetrics(registry: Registry, topic: string): RelayMetrics {
  const rows = gauge(registry, 'anabranch_outbox_rows', 'Events that wait in the outbox, counted up to 100,000.');
  const published = counter(registry, 'anabranch_outbox_published_total', 'Events published from the outbox.');
  const setAside = counter(
    registry,
    'anabranch_outbox_set_aside_total',
    'Events put aside that can never be published.',
  );
  const failedRows = gauge(
    registry,
    'anabranch_outbox_failed_rows',
    'Events that are kept aside: each is for an operator.',
  );
  const heldTenants = gauge(
    registry,
    'anabranch_outbox_held_tenants',
    'Tenants that have as many unsettled jobs published as they may.',
  );
  return {
    heldTenants: heldTenants.labels(topic),
    rows: rows.labels(topic),
    published: published.labels(topic),
    setAside: setAside.labels(topic),
    failedRows: failedRows.labels(topic),
  };
}

function gauge(registry: Registry, name: string, help: string): Gauge<'topic'> {
  const known = registry.getSingleMetric(name) as Gauge<'topic'> | undefined;
  return known ?? new Gauge({ name, help, labelNames: ['topic'], registers: [registry] });
}

function counter(registry: Registry, name: string, help: string): Counter<'topic'> {
  const known = registry.getSingleMetric(name) as Counter<'topic'> | undefined;
  return known ?? new Counter({ name, help, labelNames: ['topic'], registers: [registry] });
}
