import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { canonicalJson } from '@anabranch/job';
import { type Behaviour, nextBehaviour, type Script, type ScriptInput, scriptSchema } from './behaviour.js';
import { type CallCounts, type CallLog, createCallLog, type LoggedCall } from './call-log.js';
import { readRequest } from './completion.js';
import { respond } from './respond.js';
import { documentIn } from './schema-answer.js';
import { slowDelayMs } from './slow-delay.js';

export interface FakeServerOptions {
  /** 0 unless given: any free one. */
  port?: number;
  /** What it does; it answers unless told otherwise. */
  script?: ScriptInput;
  /** Gets a line of JSON per arrival and end of a call. */
  logFile?: string;
}

/** An OpenAI-compatible server that answers from the schema it is given, counts, and misbehaves when told to. */
export interface FakeServer {
  /** What an adapter is given: ends in `/v1`. */
  readonly baseUrl: string;
  /** Changes what it does, from the next call on. */
  follow(script: ScriptInput): void;
  calls(): readonly LoggedCall[];
  counts(): CallCounts;
  /** Cuts what is under way. */
  close(): Promise<void>;
}

const isCompletion = ({ method, url }: IncomingMessage): boolean =>
  method === 'POST' && /\/chat\/completions(?:\?|$)/.test(url ?? '');

const delayOf = (behaviour: Behaviour, requestSha256: string): number => {
  if (behaviour.kind === 'slow') return slowDelayMs(behaviour, requestSha256);
  return behaviour.kind === 'answer' ? behaviour.delayMs : 0;
};

const parse = (body: string): unknown => {
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return null;
  }
};

/** Answers one call, when its time has come, unless the caller left. */
async function complete(incoming: IncomingMessage, response: ServerResponse, state: State): Promise<void> {
  const body = parse(await text(incoming));
  const request = readRequest(body);
  const behaviour = nextBehaviour(state.script, documentIn(request.prompt));
  const requestSha256 = createHash('sha256').update(canonicalJson(body)).digest('hex');
  const idempotencyKey = String(incoming.headers['idempotency-key'] ?? '');
  const ended = state.log.arrived({ idempotencyKey, requestSha256, model: request.model });
  const id = `call-${state.log.calls().length}`;
  const answer = (): void => {
    response.off('close', leave);
    if (behaviour.kind === 'hang') response.once('close', () => ended('hang'));
    const outcome = respond(behaviour, { response, request, id });
    if (behaviour.kind !== 'hang') ended(outcome);
  };
  const leave = (): void => {
    clearTimeout(timer);
    ended('left');
  };
  const timer = setTimeout(answer, delayOf(behaviour, requestSha256));
  response.once('close', leave);
}

interface State {
  script: Script;
  readonly log: CallLog;
}

/** What is not a completion: the log, the counts, and what to do next. */
async function control(incoming: IncomingMessage, response: ServerResponse, state: State): Promise<void> {
  const send = (body: string, type = 'application/json'): void => {
    response.writeHead(200, { 'content-type': type }).end(body);
  };
  switch (`${incoming.method} ${incoming.url}`) {
    case 'GET /calls':
      return send(
        state.log
          .calls()
          .map((call) => `${JSON.stringify(call)}\n`)
          .join(''),
        'application/x-ndjson',
      );
    case 'GET /counts':
      return send(JSON.stringify(state.log.counts()));
    case 'DELETE /calls':
      state.log.clear();
      return send('{}');
    case 'PUT /script': {
      const parsed = scriptSchema.safeParse(parse(await text(incoming)));
      if (parsed.success) state.script = parsed.data;
      const problem = JSON.stringify({ error: { message: parsed.error?.message } });
      return parsed.success ? send('{}') : void response.writeHead(400).end(problem);
    }
    default:
      response.writeHead(404).end('{"error": {"message": "There is nothing here."}}');
  }
}

async function listen(server: Server, port: number): Promise<number> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** Starts the server on this machine's own address. */
export async function startFakeServer({ port = 0, script = {}, logFile }: FakeServerOptions = {}): Promise<FakeServer> {
  const state: State = { script: scriptSchema.parse(script), log: createCallLog(logFile) };
  const server = createServer((incoming, response) => {
    const answered = isCompletion(incoming) ? complete : control;
    answered(incoming, response, state).catch((error: unknown) => response.destroy(error as Error));
  });
  const bound = await listen(server, port);
  return {
    baseUrl: `http://127.0.0.1:${bound}/v1`,
    follow: (next) => {
      state.script = scriptSchema.parse(next);
    },
    calls: () => state.log.calls(),
    counts: () => state.log.counts(),
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
