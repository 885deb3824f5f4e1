// The fake server as a process, for demonstrations and the bench:
// node libs/language-model/dist/testing/run-fake-server.js --port 8090 --slow 0.1 --log calls.jsonl
import { parseArgs } from 'node:util';
import type { ScriptInput } from './behaviour.js';
import { startFakeServer } from './fake-server.js';

const { values } = parseArgs({
  options: {
    /** 0 takes any free one. */
    port: { type: 'string', default: '0' },
    /** A script as JSON, as `PUT /script` takes it. */
    script: { type: 'string' },
    /** Answers slowly: log-normal, times this factor. */
    slow: { type: 'string' },
    seed: { type: 'string', default: 'anabranch' },
    /** Gets a line of JSON per arrival and end of a call. */
    log: { type: 'string' },
  },
});

const scriptOf = ({ script, slow, seed }: typeof values): ScriptInput => {
  if (script !== undefined) return JSON.parse(script) as ScriptInput;
  return slow === undefined ? {} : { always: { kind: 'slow', scale: Number(slow), seed } };
};

const { port, log: logFile } = values;
const server = await startFakeServer({ port: Number(port), script: scriptOf(values), ...(logFile && { logFile }) });
process.stdout.write(`${JSON.stringify({ msg: 'ready', baseUrl: server.baseUrl })}\n`);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void server.close());
