// `npm run bench:flow -- [--documents 2000] [--inflight 64]`: posts distinct 2 kB documents to the running platform and
// measures from outside: documents a second, latency from post to document settled, CPU-seconds of every process.
// By hand, never part of the tests. Counts only if every document ended complete.
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import os from 'node:os';

const { values } = parseArgs({
  options: { documents: { type: 'string', default: '2000' }, inflight: { type: 'string', default: '64' } },
});
const documents = Number(values.documents);
const state = process.env.ANABRANCH_STATE_DIR ?? resolve(import.meta.dirname, '../.anabranch');
const book = JSON.parse(readFileSync(join(state, 'local.json'), 'utf8'));
const headers = { authorization: `Bearer ${book.apiKey}`, 'content-type': 'application/json' };
const run = crypto.randomUUID();
const filler =
  'The committee approved the budget and thanked the team for its excellent work on the difficult project. ';

const cpuSeconds = (pid) => {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
    return (Number(fields[11]) + Number(fields[12])) / 100;
  } catch {
    return Number.NaN;
  }
};
const cpuOfAll = () => new Map(book.processes.map(({ name, pid }) => [name, cpuSeconds(pid)]));

const unsettled = new Set(['accepted', 'analysing', 'awaiting_review']);
async function settle(id) {
  for (;;) {
    const job = await (await fetch(`${book.url}/v1/jobs/${id}`, { headers })).json();
    if (!unsettled.has(job.state)) return job;
    await new Promise((wake) => setTimeout(wake, 100));
  }
}

async function post(number) {
  const text = `Document ${number} of ${run}. ${filler.repeat(19)}`;
  const begin = performance.now();
  const response = await fetch(`${book.url}/v1/documents`, { method: 'POST', headers, body: JSON.stringify({ text }) });
  if (response.status !== 202) throw new Error(`post ${number}: ${response.status} ${await response.text()}`);
  return { id: (await response.json()).id, acceptMs: performance.now() - begin };
}

async function inParallel(count, lanes, work) {
  const done = [];
  let next = 0;
  const lane = async () => {
    while (next < count) {
      const mine = next++;
      done[mine] = await work(mine);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return done;
}

const percentile = (numbers, share) =>
  numbers.toSorted((a, b) => a - b)[Math.min(numbers.length - 1, Math.floor(numbers.length * share))];
const rounded = (number) => Math.round(number * 100) / 100;

const loadBefore = os.loadavg()[0];
const cpuBefore = cpuOfAll();
const begin = performance.now();
const accepted = await inParallel(documents, Number(values.inflight), post);
const acceptedMs = performance.now() - begin;
const jobs = await inParallel(documents, 8, (number) => settle(accepted[number].id));
const allMs = performance.now() - begin;
const cpuAfter = cpuOfAll();

const incomplete = jobs.filter((job) => job.state !== 'complete');
if (incomplete.length > 0)
  throw new Error(`${incomplete.length} documents did not end complete: the run does not count`);

const cpu = Object.fromEntries([...cpuAfter].map(([name, after]) => [name, rounded(after - cpuBefore.get(name))]));
const total = Object.values(cpu).reduce((sum, each) => sum + each, 0);
const acceptTimes = accepted.map((each) => each.acceptMs);
const figures = {
  documents,
  durability: 'class A: an accepted document survives the crash of a process (Postgres with fsync, Kafka without)',
  acceptedPerSecond: rounded((documents / acceptedMs) * 1000),
  settledPerSecond: rounded((documents / allMs) * 1000),
  acceptMs: { p50: rounded(percentile(acceptTimes, 0.5)), p99: rounded(percentile(acceptTimes, 0.99)) },
  cpuSecondsPer1000: rounded((total / documents) * 1000),
  cpuSeconds: cpu,
  machine: { cores: os.availableParallelism(), loadBefore: rounded(loadBefore), loadAfter: rounded(os.loadavg()[0]) },
};
console.log(JSON.stringify(figures));
console.table({
  'accepted/s': figures.acceptedPerSecond,
  'settled/s': figures.settledPerSecond,
  'CPU-s per 1,000': figures.cpuSecondsPer1000,
});
console.table(cpu);
