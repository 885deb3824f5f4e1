import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Registry } from 'prom-client';
import type { HealthFault } from './health.js';
import { explainListen } from './listening.js';
import { metricsContentType, renderMetrics } from './metrics.js';

export interface HealthServerOptions {
  host: string;
  port: number;
  services: readonly string[];
  readinessFaults(): HealthFault[];
  livenessFaults(): HealthFault[];
  registries: readonly Registry[];
}

export interface HealthServer {
  /** The real port, also when 0 was asked for. */
  port: number;
  close(): Promise<void>;
}

/**
 * Serves /health/live, /health/ready and /metrics on node:http: an idle Fastify would cost 25 MB per process.
 * Throws `StopService` when the port is taken.
 */
export async function startHealthServer(options: HealthServerOptions): Promise<HealthServer> {
  const server = createServer((request, response) => {
    answer(request, response, options).catch((error: unknown) => response.destroy(error as Error));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(explainListen(error, 'set ANABRANCH_HEALTH_PORT to another one, or to 0')));
    server.listen(options.port, options.host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(request: IncomingMessage, response: ServerResponse, options: HealthServerOptions): Promise<void> {
  const path = request.url?.split('?')[0];
  if (path === '/health/live')
    return sendFaults(response, options, { state: 'live', faults: options.livenessFaults() });
  if (path === '/health/ready')
    return sendFaults(response, options, { state: 'ready', faults: options.readinessFaults() });
  if (path === '/metrics') {
    response.writeHead(200, { 'content-type': metricsContentType }).end(await renderMetrics(options.registries));
    return;
  }
  sendJson(response, 404, { message: 'here are /health/live, /health/ready and /metrics' });
}

function sendFaults(
  response: ServerResponse,
  { services }: HealthServerOptions,
  { state, faults }: { state: 'live' | 'ready'; faults: HealthFault[] },
): void {
  const holds = faults.length === 0;
  sendJson(response, holds ? 200 : 503, { [state]: holds, services, faults });
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
