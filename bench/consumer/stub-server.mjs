// A model behind HTTP, in a process of its own: answers after as long as it is asked to.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { answer } from './child.mjs';

const reply = JSON.stringify({ summary: 'The committee approved the budget. '.repeat(12) });
let answered = 0;
let server;

async function listen() {
  server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    const ms = Number(new URL(request.url, 'http://stub').searchParams.get('ms'));
    setTimeout(() => {
      answered++;
      response.writeHead(200, { 'content-type': 'application/json' }).end(reply);
    }, ms);
  });
  // All calls begin at once: the standard backlog of 511 would refuse most of them.
  server.listen({ port: 0, host: '127.0.0.1', backlog: 16_384 });
  await once(server, 'listening');
  return `http://127.0.0.1:${server.address().port}/`;
}

answer({ listen, answered: async () => answered });
