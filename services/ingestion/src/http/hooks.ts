// What happens around every request, before its body is read and after it was answered.
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { childTraceparent, parseTraceparent } from '@anabranch/contracts';
import type { Logger } from '@anabranch/service-host';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ApiKeys } from '../access/api-keys.js';
import { authenticate } from '../access/authenticate.js';
import type { HttpMetrics } from './http-metrics.js';
import { Problem } from './problem.js';
import { beginRequest, requestState, routeOf } from './request.js';
import type { RouteTable } from './routes.js';

export interface HookOptions {
  routes: RouteTable;
  findKey: ApiKeys;
  metrics: HttpMetrics;
  log: Logger;
}

/** Installs the hooks; call it before routes are added. */
export function installHooks(instance: FastifyInstance, { routes, findKey, metrics, log }: HookOptions): void {
  instance.addHook('onRoute', ({ method, url }) => routes.add(method, url));
  instance.addHook('onRequest', async (request, reply) => {
    begin(request, reply);
    assertOriginForm(request);
    assertUnambiguous(request);
    if (isApi(request)) requestState(request).access = await authenticate(request.headers.authorization, findKey);
  });
  instance.addHook('onResponse', (request, reply, done) => {
    finish(request, reply, { metrics, log });
    done();
  });
}

/** The caller's X-Request-Id when it is fit for logs and headers, else a new id. */
export function requestIdOf(request: IncomingMessage): string {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && /^[\x21-\x7e]{1,128}$/.test(given) ? given : randomUUID();
}

/** Other forms, such as `*`, are of no address of ours, and nobody must wonder what the router makes of them. */
function assertOriginForm({ url }: FastifyRequest): void {
  if (url.startsWith('/')) return;
  throw new Problem('REQUEST_REJECTED', 'Give the address as a path that begins with a slash, or as a whole URL.');
}

// Of two of these Node takes the first, and a proxy before it perhaps the second.
const single = new Set(['authorization', 'content-type']);

/** What the sender and we, or a proxy and we, could read in two ways. */
function assertUnambiguous({ raw, headers, url }: FastifyRequest): void {
  const names = raw.rawHeaders.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase());
  const twice = names.find((name, at) => single.has(name) && names.indexOf(name) < at);
  if (twice !== undefined) throw new Problem('INVALID_REQUEST', `Give the header ${twice} once.`);
  if (headers.host === undefined && raw.httpVersion === '1.1') {
    throw new Problem('REQUEST_REJECTED', 'Send the header Host: HTTP/1.1 asks for it.');
  }
  if (!isPercentEncoded(url)) {
    throw new Problem('INVALID_REQUEST', 'Correct the query: a % must begin a percent-encoded byte of UTF-8.');
  }
}

/** The router sees to the path; the parser of queries leaves what it cannot decode as it is. */
function isPercentEncoded(url: string): boolean {
  const begin = url.indexOf('?');
  if (begin === -1 || !url.includes('%', begin)) return true;
  try {
    decodeURIComponent(url.slice(begin));
    return true;
  } catch {
    return false;
  }
}

/**
 * Under /v1, whether there is such a route or not: strangers learn nothing about which exist. By the route that the
 * router has found: it reads an address in more ways than one, such as with escaped letters.
 */
function isApi(request: FastifyRequest): boolean {
  const path = routeOf(request);
  return path === '/v1' || path.startsWith('/v1/');
}

function begin(request: FastifyRequest, reply: FastifyReply): void {
  const { traceparent } = request.headers;
  const parent = typeof traceparent === 'string' ? traceparent : null;
  beginRequest(request, { access: null, traceparent: childTraceparent(parent), logFields: {} });
  reply.header('x-request-id', request.id);
  reply.header('x-content-type-options', 'nosniff');
  reply.header('cache-control', 'no-store');
}

function finish(
  request: FastifyRequest,
  reply: FastifyReply,
  { metrics, log }: Pick<HookOptions, 'metrics' | 'log'>,
): void {
  const route = request.routeOptions.url ?? 'none';
  const { access, traceparent, logFields } = requestState(request);
  metrics.observe({ method: request.method, route, status: reply.statusCode, seconds: reply.elapsedTime / 1_000 });
  log.info(
    {
      requestId: request.id,
      traceId: parseTraceparent(traceparent)?.traceId,
      ...(access && { tenantId: access.tenantId }),
      ...logFields,
      method: request.method,
      route,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
    },
    'request',
  );
}
