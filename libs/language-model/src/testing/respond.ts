import type { ServerResponse } from 'node:http';
import type { Behaviour } from './behaviour.js';
import { completionOf, type ReadRequest } from './completion.js';

/** A call that is to be answered. */
export interface PendingCall {
  response: ServerResponse;
  request: ReadRequest;
  id: string;
}

const sendJson = (response: ServerResponse, status: number, body: unknown): void => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
};

const sendError = (response: ServerResponse, error: Extract<Behaviour, { kind: 'error' }>): void => {
  const { status, retryAfter, retryAfterMs, code = null } = error;
  if (retryAfter !== undefined) response.setHeader('retry-after', retryAfter);
  if (retryAfterMs !== undefined) response.setHeader('retry-after-ms', String(retryAfterMs));
  sendJson(response, status, { error: { message: `The server says ${status}.`, type: code, code } });
};

const chunk = 'x'.repeat(65_536);

/** Sends as long as somebody reads. */
const sendWithoutEnd = (response: ServerResponse): void => {
  const send = (): void => {
    while (!response.destroyed && response.write(chunk));
    if (!response.destroyed) response.once('drain', send);
  };
  response.writeHead(200, { 'content-type': 'application/json' });
  send();
};

const cut = ({ response, request, id }: PendingCall): void => {
  const body = Buffer.from(JSON.stringify(completionOf({ kind: 'answer', delayMs: 0 }, request, id)));
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
  response.write(body.subarray(0, body.length / 2), () => response.destroy());
};

/** Does to a call what its behaviour says, and returns how the log calls it. */
export function respond(behaviour: Behaviour, call: PendingCall): string {
  const { response, request, id } = call;
  switch (behaviour.kind) {
    case 'error':
      sendError(response, behaviour);
      return `error ${behaviour.status}`;
    case 'error-within-200':
      sendJson(response, 200, { error: { code: behaviour.status, message: 'upstream' } });
      break;
    case 'html':
      response.writeHead(502, { 'content-type': 'text/html' }).end('<html><h1>502 Bad Gateway</h1></html>');
      break;
    case 'redirect':
      response.writeHead(307, { location: '/elsewhere' }).end();
      break;
    case 'broken-json':
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"choices": [');
      break;
    case 'no-choices':
      sendJson(response, 200, { ...completionOf(behaviour, request, id), choices: [] });
      break;
    case 'endless':
      sendWithoutEnd(response);
      break;
    case 'reset':
      response.destroy();
      break;
    case 'cut':
      cut(call);
      break;
    case 'hang':
      break;
    default:
      sendJson(response, 200, completionOf(behaviour, request, id));
  }
  return behaviour.kind;
}
