// What happens to a body before it is read: what is compressed, or for no address, is refused, and what is in flight is bounded.
import type { Readable, Transform } from 'node:stream';
import { NotFoundException } from '@nestjs/common';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { limitReached, type OnLimitReached } from '../documents/tenant-limits.js';
import { createBodyBudget, takingFrom, type BodyLimits, type BudgetShare, type Spent } from './body-budget.js';
import { Problem } from './problem.js';
import { requestState } from './request.js';

const retryAfterSeconds = 2;

/** Installs the hooks, after those that find out who calls; call it before routes are added. */
export function installBodyHooks(instance: FastifyInstance, limits: BodyLimits, onLimitReached: OnLimitReached): void {
  const budget = createBodyBudget(limits);
  const refuse = (spent: Spent): Problem => {
    if (spent === 'all') return overloaded();
    onLimitReached('body-bytes');
    const detail = `Your tenant may have ${limits.ofTenant} bytes received at the same time. Send the same request again later.`;
    return limitReached('body-bytes', limits.ofTenant, { detail, seconds: retryAfterSeconds });
  };
  const shares = new WeakMap<FastifyRequest, BudgetShare>();
  const release = (request: FastifyRequest): void => shares.get(request)?.release();
  const inHandler = new WeakSet<FastifyRequest>();

  instance.addHook('preParsing', async (request, reply, payload) => {
    if (!hasBody(request)) return payload;
    if (request.is404) throw new NotFoundException();
    const { access } = requestState(request);
    // Outside the API nobody reads a body, nor was asked who calls.
    if (access === null) return payload;
    assertPlain(request.headers['content-encoding']);
    const share = budget(access.tenantId);
    shares.set(request, share);
    // A client that goes away while it sends never gets to a handler. A handler that runs holds the body to its end.
    reply.raw.once('close', () => {
      if (!inHandler.has(request)) release(request);
    });
    return counted(payload as Readable, takingFrom(share, refuse));
  });
  instance.addHook('preHandler', async (request) => void inHandler.add(request));
  instance.addHook('onSend', async (request) => release(request));
}

/** Not a pipeline: that would end the connection, when the budget is spent, before the answer is written. */
function counted(payload: Readable, body: Transform): Readable {
  payload.once('error', (error) => body.destroy(error));
  // Nobody listens where the body is not read, such as that of a GET: then its failure is nobody's, and not the process'.
  body.on('error', () => undefined);
  return payload.pipe(body);
}

function overloaded(): Problem {
  const detail =
    'Too many bytes are being received at the same time. Nothing was accepted: send the same request again later.';
  return new Problem('OVERLOADED', detail, { headers: { 'retry-after': String(retryAfterSeconds) } });
}

function hasBody({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

/** Compressed bytes would be taken for the text. */
function assertPlain(contentEncoding: string | undefined): void {
  const codings = (contentEncoding ?? '').split(',').map((coding) => coding.trim().toLowerCase());
  if (codings.every((coding) => coding === '' || coding === 'identity')) return;
  const named = /^[\w, .-]{1,64}$/.test(contentEncoding ?? '') ? ` ${contentEncoding}` : '';
  throw new Problem(
    'UNSUPPORTED_CONTENT_ENCODING',
    `Send the body as it is, without the Content-Encoding${named}: it is not decoded here.`,
    { headers: { 'accept-encoding': 'identity' }, extensions: { accepted: ['identity'] } },
  );
}
