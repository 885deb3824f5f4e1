// BullMQ, on a Redis that writes each change to disk before it answers.
import { accessSync, constants, mkdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { FlowProducer, QueueEvents } from 'bullmq';
import { StackFault } from '../../../tools/stack/fault.mjs';
import { spawnGuarded } from '../../../tools/stack/run/spawn.mjs';
import { startProcesses } from '../../consumer/stack.mjs';
import { textOf } from '../../platform/documents.mjs';
import { versionOf } from '../install.mjs';
import { analyses } from '../job.mjs';
import { untilListening } from '../tcp.mjs';

export const about = {
  version: versionOf('bullmq'),
  durability: 'class B: Redis with appendonly yes, appendfsync always',
};

const inOneCall = 100;

function findRedis() {
  const asked = process.env.BENCH_REDIS;
  const candidates = asked
    ? [asked]
    : (process.env.PATH ?? '').split(delimiter).map((dir) => join(dir, 'redis-server'));
  const found = candidates.find(isExecutable);
  if (found) return found;
  throw new StackFault(
    'BullMQ needs a Redis: install one (Debian: apt-get install redis-server), or set ANABRANCH_BENCH_REDIS to the path of redis-server.',
  );
}

function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Throws a fault that says what is missing. */
export const requireParts = () => void findRedis();

function redisProcess({ paths }, port) {
  const folder = join(paths.logs, '..', 'redis');
  const settings = { port, bind: '127.0.0.1', dir: folder, save: '', appendonly: 'yes', appendfsync: 'always' };
  return {
    name: 'redis',
    prepare: async () => mkdirSync(folder, { recursive: true }),
    spawn: () =>
      spawnGuarded({
        command: findRedis(),
        args: Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]),
        stopSignal: 'SIGTERM',
        delaySeconds: 1,
      }),
    ready: (_child, signal) => untilListening(port, signal, 'Redis, to listen,'),
  };
}

/** One parent job, under the document's id, and a child for each analysis. */
function flowOf(run, number) {
  const documentId = `${run}-${number}`;
  const text = textOf(run, number);
  const children = analyses.map((name) => ({ name, queueName: name, data: { documentId, text } }));
  return { name: 'document', queueName: 'documents', data: { documentId }, opts: { jobId: documentId }, children };
}

export async function open({ ports: [port] }) {
  const { processes, stop } = await startProcesses((context) => [redisProcess(context, port)], { throwAway: false });
  const connection = { host: '127.0.0.1', port };
  const flows = new FlowProducer({ connection });
  const events = new QueueEvents('documents', { connection });
  await events.waitUntilReady();
  const settled = new Map();
  const waiting = new Map();
  events.on('completed', ({ jobId, returnvalue }) => {
    settled.set(jobId, [...(settled.get(jobId) ?? []), returnvalue]);
    waiting.get(jobId)?.();
  });
  const settlement = (id) => (settled.has(id) ? null : new Promise((resolve) => waiting.set(id, resolve)));
  return {
    processes,
    worker: { program: new URL('worker.mjs', import.meta.url).href, options: { connection } },
    async fill(run, numbers) {
      for (let from = 0; from < numbers.length; from += inOneCall)
        await flows.addBulk(numbers.slice(from, from + inOneCall).map((number) => flowOf(run, number)));
    },
    async call(run, number) {
      const done = settlement(`${run}-${number}`);
      await flows.add(flowOf(run, number));
      await done;
    },
    async whenSettled(run, numbers) {
      await Promise.all(numbers.map((number) => settlement(`${run}-${number}`)));
      return Date.now();
    },
    results: async (run) => [...settled].filter(([id]) => id.startsWith(`${run}-`)).flatMap(([, each]) => each),
    async close() {
      await Promise.all([flows.close(), events.close()]);
      await stop();
    },
  };
}
