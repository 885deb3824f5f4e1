import { Counter, Histogram, type Registry } from 'prom-client';

interface ObservedRequest {
  method: string;
  /** The route's pattern, never the address: labels must be few. */
  route: string;
  status: number;
  seconds: number;
}

export interface HttpMetrics {
  observe(request: ObservedRequest): void;
}

/** Registers the metrics of the HTTP API. */
export function createHttpMetrics(registry: Registry): HttpMetrics {
  const requests = new Counter({
    name: 'anabranch_http_requests_total',
    help: 'Requests answered, by route and status.',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
  });
  const seconds = new Histogram({
    name: 'anabranch_http_request_seconds',
    help: 'Time from a request to the end of its response.',
    labelNames: ['method', 'route'],
    buckets: [0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers: [registry],
  });
  return {
    observe: ({ method, route, status, seconds: elapsed }) => {
      requests.inc({ method, route, status: String(status) });
      seconds.observe({ method, route }, elapsed);
    },
  };
}
