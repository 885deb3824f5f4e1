import type { IncomingMessage } from 'node:http';
import type { Access } from '@anabranch/database/access';
import type { FastifyRequest } from 'fastify';

/** What the service knows of a request beside what Fastify does. */
export interface RequestState {
  /** Who calls; null outside the API, such as for its documentation. */
  access: Access | null;
  /** The span of this request: a step of the caller's trace, or a new trace. */
  traceparent: string;
  /** What the access log says in addition, such as the job's id. */
  logFields: Record<string, string>;
}

// Beside the request and not on it, so that no hook can find it half made.
const states = new WeakMap<FastifyRequest, RequestState>();

/** Begins the state of a request. */
export function beginRequest(request: FastifyRequest, state: RequestState): void {
  states.set(request, state);
}

/** The state of a request that has begun. */
export function requestState(request: FastifyRequest): RequestState {
  const state = states.get(request);
  if (!state) throw new Error('The request has no state: the hooks of http/hooks.ts are not installed.');
  return state;
}

/** Who calls. Throws when nobody was authenticated: then the route is not behind the hook that does it. */
export function accessOf(request: FastifyRequest): Access {
  const { access } = requestState(request);
  if (!access) throw new Error('The route is not behind authentication.');
  return access;
}

/** The address in origin form: a request may name its whole URL (RFC 9112 §3.2.2), and only its path and query count here. */
export function originForm({ url }: Pick<IncomingMessage, 'url'>): string {
  const target = url ?? '/';
  const rest = /^https?:\/\/[^/?#]+(.*)$/is.exec(target)?.[1];
  if (rest === undefined) return target;
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/** The pattern of the route that was found for the request, else its path: what decides what the request is about. */
export function routeOf(request: FastifyRequest): string {
  return request.routeOptions.url ?? pathOf(request);
}

/** The path of the request without its query, which may hold what must not be repeated or logged. */
export function pathOf(request: FastifyRequest): string {
  return request.url.split('?', 1)[0] ?? '/';
}
