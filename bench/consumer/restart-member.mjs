// A static member that is killed and started again: no more than a consumer, so that its start is that of a bare one.
import { flushCompileCache } from 'node:module';
import { createConsumer, createSchemaRegistry } from '@anabranch/kafka';
import { Registry } from 'prom-client';
import { answer, tell } from './child.mjs';
import { quiet } from './quiet.mjs';

const { config, group, instanceId, sessionTimeoutMs } = JSON.parse(process.argv[2] ?? '');
/** By partition, when its records were handled, in ms of a clock that all processes share. */
const handledAt = new Map();
/** Who waits for a record of some partitions. */
const awaited = new Set();
const now = () => Number(process.hrtime.bigint()) / 1e6;

async function handler({ partition }) {
  const at = now();
  if (handledAt.size === 0) tell({ first: at });
  const times = handledAt.get(partition) ?? [];
  handledAt.set(partition, times);
  times.push(at);
  for (const waiting of awaited) if (waiting.partitions.includes(partition)) waiting.resolve(at);
}

const consumer = createConsumer({
  config,
  group,
  settings: { instanceId, sessionTimeoutMs },
  registry: createSchemaRegistry({ config }),
  producer: { publishRaw: () => Promise.reject(new Error('no record of a bench is a dead letter')) },
  topics: { 'document.ingested': { handler } },
  onFatal: (error) => {
    throw error;
  },
  metrics: new Registry(),
  log: quiet,
});

/** The longest time without a record, in any of these partitions. */
function longestGap({ partitions, from, to }) {
  const gaps = partitions.flatMap((partition) => {
    const between = (handledAt.get(partition) ?? []).filter((at) => at >= from && at <= to);
    return [from, ...between, to].slice(1).map((at, index) => at - [from, ...between][index]);
  });
  return Math.max(...gaps);
}

/** Resolves with when the next record of one of these partitions is handled. */
function next(partitions) {
  return new Promise((resolve) => awaited.add({ partitions, resolve }));
}

/** Those that it had records of in the last second: the ones that it owns. */
const owned = () => [...handledAt].filter(([, times]) => times.at(-1) > now() - 1_000).map(([partition]) => partition);

answer({
  next: ({ partitions }) => next(partitions),
  longestGap: async (question) => longestGap(question),
  owned: async () => owned(),
  leave: () => consumer.stop(10_000),
});
await consumer.start();
// Nobody that is killed would write it.
flushCompileCache();
