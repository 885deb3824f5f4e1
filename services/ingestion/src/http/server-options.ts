import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyBaseLogger, FastifyError, FastifyHttpOptions, FastifyReply, FastifyRequest } from 'fastify';
import { requestIdOf } from './hooks.js';
import { Problem } from './problem.js';
import { originForm, pathOf } from './request.js';
import { sendProblem } from './send-problem.js';

/** How long a client may take to send its request: a slow sender must not hold a connection for ever. */
const requestTimeoutMs = 120_000;

/** An id of a document, percent-encoded, is in the path; unless told, the router takes 100 characters. */
const maxParamLength = 4_096;

/** Fastify's options; what has to be known before the server exists. */
export const serverOptions: FastifyHttpOptions<Server, FastifyBaseLogger> = {
  genReqId: requestIdOf,
  rewriteUrl: originForm,
  requestTimeout: requestTimeoutMs,
  // Node's own answer to a request without one has no body.
  http: { requireHostHeader: false },
  routerOptions: { maxParamLength },
  frameworkErrors: answerFrameworkError,
  clientErrorHandler: answerClientError,
};

/** An address that the router cannot read passes neither hooks nor filters. */
function answerFrameworkError(error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  const detail = 'The address cannot be read: check its length, and that it is percent-encoded.';
  reply.header('x-request-id', request.id).header('x-content-type-options', 'nosniff');
  sendProblem(reply, new Problem('REQUEST_REJECTED', detail, { status: error.statusCode ?? 400 }), pathOf(request));
}

/** What is not HTTP never reaches a route, so the answer is written by hand. */
function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const isTooLarge = error.code === 'HPE_HEADER_OVERFLOW';
  const status = isTooLarge ? '431 Request Header Fields Too Large' : '400 Bad Request';
  const detail = isTooLarge ? 'Send smaller headers.' : 'The request is not valid HTTP.';
  const body = JSON.stringify(new Problem('REQUEST_REJECTED', detail, { status: parseInt(status, 10) }).toBody('/'));
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/problem+json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

/** An `Expect` of anything but `100-continue` never reaches a route; Node's own answer has no body. */
export function answerExpectation(request: IncomingMessage, response: ServerResponse): void {
  const detail = 'The only expectation that can be met is 100-continue. Leave the header Expect out.';
  const problem = new Problem('REQUEST_REJECTED', detail, { status: 417 });
  const path = originForm(request).split('?', 1)[0] ?? '/';
  const body = JSON.stringify(problem.toBody(path));
  response
    .writeHead(417, {
      'content-type': 'application/problem+json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
      'x-request-id': requestIdOf(request),
      'x-content-type-options': 'nosniff',
      connection: 'close',
    })
    .end(body);
}
