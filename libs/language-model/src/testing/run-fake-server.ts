// The fake server as a process, for demonstrations and the bench.
import { parseArgs } from 'node:util';
import type { ScriptInput } from './behaviour.js';
import { startFakeServer } from './fake-server.js';

const usage = `Usage: run-fake-server.js [--port 0] [--script JSON] [--slow FACTOR] [--seed TEXT] [--log FILE]
A model behind an OpenAI-compatible door, that costs nothing. Prints its base URL as JSON when it listens.

  --port 0        any free one
  --script JSON   how it answers, as PUT /script takes it
  --slow FACTOR   answers slowly: log-normal, times this factor (0.1)
  --seed TEXT     of the slow answers
  --log FILE      gets a line of JSON for each arrival and end of a call`;

const options = {
  port: { type: 'string', default: '0' },
  script: { type: 'string' },
  slow: { type: 'string' },
  seed: { type: 'string', default: 'anabranch' },
  log: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

function read() {
  try {
    const { values } = parseArgs({ options });
    if (!values.help) return values;
    process.stdout.write(`${usage}\n`);
    return process.exit(0);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n${usage}\n`);
    return process.exit(64);
  }
}

const values = read();

const scriptOf = ({ script, slow, seed }: typeof values): ScriptInput => {
  if (script !== undefined) return JSON.parse(script) as ScriptInput;
  return slow === undefined ? {} : { always: { kind: 'slow', scale: Number(slow), seed } };
};

const { port, log: logFile } = values;
const server = await startFakeServer({ port: Number(port), script: scriptOf(values), ...(logFile && { logFile }) });
process.stdout.write(`${JSON.stringify({ msg: 'ready', baseUrl: server.baseUrl })}\n`);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void server.close());
