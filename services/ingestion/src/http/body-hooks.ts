// What happens to a body before it is read: what is compressed is refused, and what is in flight is bounded.
import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { createBodyBudget, takingFrom, type BudgetShare } from './body-budget.js';
import { Problem } from './problem.js';

/** Installs the hooks; call it before routes are added. */
export function installBodyHooks(instance: FastifyInstance, maxBodyBytesInFlight: number): void {
  const budget = createBodyBudget(maxBodyBytesInFlight);
  const shares = new WeakMap<FastifyRequest, BudgetShare>();
  const release = (request: FastifyRequest): void => shares.get(request)?.release();
  const inHandler = new WeakSet<FastifyRequest>();

  instance.addHook('preParsing', async (request, reply, payload) => {
    if (!hasBody(request)) return payload;
    assertPlain(request.headers['content-encoding']);
    const share = budget();
    shares.set(request, share);
    // A client that goes away while it sends never gets to a handler. A handler that runs holds the body to its end.
    reply.raw.once('close', () => {
      if (!inHandler.has(request)) release(request);
    });
    return counted(payload as Readable, share);
  });
  instance.addHook('preHandler', async (request) => void inHandler.add(request));
  instance.addHook('onSend', async (request) => release(request));
}

/** Not a pipeline: that would end the connection, when the budget is spent, before the answer is written. */
function counted(payload: Readable, share: BudgetShare): Readable {
  const body = takingFrom(share);
  payload.once('error', (error) => body.destroy(error));
  return payload.pipe(body);
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
