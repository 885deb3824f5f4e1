// `npm run prove:jobs -- --minutes 3 --seed 1`: posts documents to a platform of its own while its processes are killed and
// frozen, its connections cut when they commit, and Kafka and Postgres go away; then holds what clients were told against
// everything that the platform says. Ends with exit code 1 when anything is not true. By hand: it takes its minutes. `--help`
// says more.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { readOptions } from '../../tools/command-line.mjs';
import { judge } from './checks.mjs';
import { Client } from './client.mjs';
import { gatherEvidence, waitUntilSettled } from './evidence.mjs';
import { Faults } from './faults.mjs';
import { Load } from './load.mjs';
import { startModel } from './model.mjs';
import { startPlatform } from './platform.mjs';
import { createRandom } from './random.mjs';
import { reportOf, summaryOf } from './report.mjs';

const usage = `npm run prove:jobs -- [--minutes 3] [--seed TEXT] [--rate 8] [--logs DIR] [--report FILE]

Posts documents to a platform of its own while its processes are killed and frozen, its connections cut, and Kafka and
Postgres go away; then asks whether everything that it says is true. Needs a build.

  --minutes 3    of load and faults; some more until everything is settled
  --seed TEXT    of what is posted, and of the faults
  --rate 8       documents and other requests a second
  --logs DIR     keeps the logs of the platform, and what was found; otherwise they stay only when something is not true
  --report FILE  adds a section about the run to this page`;

const values = await readOptions({
  usage,
  numbers: ['minutes', 'rate'],
  options: {
    minutes: { type: 'string', default: '3' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    rate: { type: 'string', default: '8' },
    logs: { type: 'string' },
    report: { type: 'string' },
  },
});
const { seed } = values;
/** Where logs and evidence stay. */
let kept = values.logs && resolve(values.logs);
const seconds = Number(values.minutes) * 60;
const modelled = ['summary', 'sentiment', 'classification'];

/** Slow enough that processes die in the middle of calls. */
const pace = { kind: 'slow', p50Ms: 300, p95Ms: 1_500, capMs: 6_000, seed };

// Leases outlast what a machine that is busy with all of this may make a process wait: only a fault makes a call repeat.
function settingsOf(baseUrl) {
  const engines = modelled.map((name) => [`ANABRANCH_${name.toUpperCase().replaceAll('-', '_')}_ENGINE`, 'model']);
  const model = { ANABRANCH_MODEL_BASE_URL: baseUrl, ANABRANCH_MODEL: 'stub' };
  return { ...model, ...Object.fromEntries(engines), ANABRANCH_LEDGER_LEASE_MS: '10000' };
}

/** @param {import('./platform.mjs').Platform} platform */
async function hurt(platform) {
  const time = AbortSignal.timeout(seconds * 1_000);
  const tooLong = AbortSignal.timeout((seconds + 240) * 1_000);
  const client = new Client({ platform, random: createRandom(`${seed} client`), signal: tooLong });
  const load = new Load({ client, random: createRandom(`${seed} load`) });
  const faults = new Faults({ platform, random: createRandom(`${seed} faults`) });
  await Promise.all([load.run({ perSecond: Number(values.rate), signal: time }), faults.run(time)]);
  return { client, load, faults };
}

async function prove(platform, model) {
  say(`${seconds} s of load and faults, seed ${seed} …`);
  const { client, load, faults } = await hurt(platform);
  const settledMs = await waitUntilSettled(platform, say);
  const evidence = await gatherEvidence({ platform, client, load, faults, model, modelled });
  const verdicts = judge(evidence);
  const facts = { seed, seconds, settledMs, cuts: platform.cutter.cuts };
  for (const line of summaryOf(facts, evidence, verdicts)) console.log(line);
  const isTrue = verdicts.every(({ faults: found }) => found.length === 0);
  if (!isTrue) kept ??= mkdtempSync(join(tmpdir(), 'anabranch-proof-'));
  if (kept) {
    writeEvidence(evidence, kept);
    say(`logs and what was found: ${kept}`);
  }
  if (values.report) {
    const page = resolve(values.report);
    const before = existsSync(page) ? readFileSync(page, 'utf8') : '';
    writeFileSync(page, reportOf(facts, evidence, verdicts, before));
  }
  return isTrue;
}

/** What the report counts, one by one. */
function writeEvidence({ calls, answeredAt, abandoned, faults, jobs }, folder) {
  mkdirSync(folder, { recursive: true });
  const found = { calls, answeredAt: [...answeredAt], abandoned: [...abandoned], faults, jobs: [...jobs] };
  writeFileSync(join(folder, 'evidence.json'), JSON.stringify(found));
}

const say = (line) => console.error(line);
const model = await startModel(pace);
const platform = await startPlatform(settingsOf(model.baseUrl), createRandom(`${seed} cuts`));
const interrupted = new Promise((_, reject) => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.once(signal, () => reject(new Error(`stopped by ${signal}`)));
});
try {
  const proof = prove(platform, model);
  proof.catch(() => {}); // What it says when it is interrupted is no news.
  process.exitCode = (await Promise.race([proof, interrupted])) ? 0 : 1;
} finally {
  await platform.stop(kept);
  await model.close();
}
