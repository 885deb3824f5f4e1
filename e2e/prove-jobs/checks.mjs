// What must be true in the end, from ledgers outside of the system: what clients were told, what the model was asked, what
// lies on Kafka, and rows as an observer reads them. Each check says what it looked at: one that saw nothing has failed.

/**
 * @typedef {object} Evidence
 * @property {import('./client.mjs').Client} client
 * @property {import('./load.mjs').Load} load
 * @property {Map<string, { job: any, result: any }>} jobs by id, as the API answers
 * @property {any[]} enriched events of document.enriched
 * @property {any[]} finished events of all topics of results, with `analysis`
 * @property {readonly any[]} calls as the model's server logged them
 * @property {Map<string, number>} answeredAt epoch milliseconds, by operation key, as the ledger has it
 * @property {Set<string>} abandoned keys of operations without an answer, whose jobs were all cancelled or superseded
 * @property {{ name: string, count: number }[]} leftovers what should be empty
 * @property {string} rebuilt what the tool said that folds histories
 * @property {import('./faults.mjs').Fault[]} faults
 * @property {{ after: number, before: number, claims: number, answers: number }} cuts connections that were cut at a commit
 * @property {readonly string[]} services names of all services
 * @property {readonly string[]} modelled analyses that ask the model
 */

/** @typedef {{ name: string, looked: number, faults: string[] }} Verdict */

const settledWell = new Set(['complete', 'cancelled', 'superseded']);

/** @type {Record<string, (evidence: Evidence) => { looked: number, faults: string[] }>} */
const checks = {
  'everything was done to it that was to be done': coverage,
  'every post was answered, and every answer to a key names one job': ({ client }) => ({
    looked: client.posts.length,
    faults: client.posts.flatMap(({ key, jobIds }) => {
      const different = new Set(jobIds).size;
      return different === 1 ? [] : [`key ${key}: ${different} jobs`];
    }),
  }),
  'no answer was one that must not be': ({ client }) => ({ looked: client.posts.length, faults: client.violations }),
  'every accepted job settles, none for a fault from outside': ({ jobs }) => ({
    looked: jobs.size,
    faults: [...jobs].flatMap(([id, { job }]) =>
      settledWell.has(job?.state)
        ? []
        : [`job ${id} is ${job?.state}: ${job?.reason} ${JSON.stringify(job?.analyses)}`],
    ),
  }),
  'every receipt is true': receipts,
  'what was cancelled is cancelled': ({ load, jobs }) => ({
    looked: load.cancelled.size,
    faults: [...load.cancelled].flatMap((id) => {
      const state = jobs.get(id)?.job?.state;
      return state === 'cancelled' ? [] : [`job ${id} was cancelled, and is ${state}`];
    }),
  }),
  'the newest revision of each document is not superseded, and the others only by newer ones': revisions,
  'a further run that was granted is in effect, or was refused because a newer revision had begun': furtherRuns,
  'document.enriched has each settlement once, numbered without gaps, and its last is what the API answers':
    settlements,
  'topics of results have what the receipts say, and repeats are equal': outcomes,
  'calls of the model repeat only after a fault, with the same request, and none after its answer was stored': calls,
  'folding all histories finds no difference': ({ rebuilt }) => {
    const [, folded = '0', differing = '-1'] = /Folded (\d+) histories; (\d+) jobs differ/.exec(rebuilt) ?? [];
    return { looked: Number(folded), faults: differing === '0' ? [] : [rebuilt] };
  },
  'nothing is left over: outbox, deferred runs, dead letters, lag': ({ leftovers }) => ({
    looked: leftovers.length,
    faults: leftovers.filter(({ count }) => count !== 0).map(({ name, count }) => `${name}: ${count}`),
  }),
};

/**
 * @param {Evidence} evidence
 * @returns {Verdict[]}
 */
export function judge(evidence) {
  return Object.entries(checks).map(([name, check]) => {
    const { looked, faults } = check(evidence);
    return { name, looked, faults: looked > 0 ? faults : ['there was nothing to look at', ...faults] };
  });
}

/** A run in which something did not take place proves nothing about it. */
function coverage({ faults: done, cuts, services, load, jobs, client }) {
  const wasDone = (kind, target) => done.some((fault) => fault.kind === kind && fault.target === target);
  const times = (state) => [...jobs.values()].filter(({ job }) => job?.state === state).length;
  const wanted = {
    ...Object.fromEntries(services.map((name) => [`kill -9 of ${name}`, done.some(isKillOf(name))])),
    'kafka stopped and started': wasDone('outage', 'kafka'),
    'postgres stopped and started': wasDone('outage', 'postgres'),
    'kafka killed': wasDone('crash', 'kafka'),
    'postgres crashed': wasDone('crash', 'postgres'),
    'sessions of postgres ended': wasDone('terminate', 'postgres'),
    'a collector frozen': done.some(({ kind, target }) => kind === 'freeze' && target.startsWith('collection')),
    'connections cut after COMMIT': cuts.after > 0,
    'connections cut before COMMIT': cuts.before > 0,
    'connections cut at claims': cuts.claims > 0,
    'connections cut at answers': cuts.answers > 0,
    'revisions overtaken': times('superseded') > 0,
    'jobs cancelled': times('cancelled') > 0,
    'further runs': load.runs.length > 0,
    'keys answered again': client.answers.replayed > 0,
  };
  const missing = Object.keys(wanted).filter((name) => !wanted[name]);
  return { looked: Object.keys(wanted).length, faults: missing.map((name) => `it did not come to this: ${name}`) };
}

const isKillOf =
  (name) =>
  ({ kind, target }) =>
    kind === 'kill' && (target === name || target.startsWith(`${name}-`));

function receipts({ jobs }) {
  const faults = [];
  let looked = 0;
  for (const [id, { job, result }] of jobs) {
    if (job?.state !== 'complete') continue;
    looked += 1;
    const asked = Object.keys(job.analyses).sort().join();
    const done = Object.entries(result.receipt.analyses).filter(([, { outcome }]) => outcome === 'done');
    const named = done.map(([name]) => name).sort();
    if (!result.receipt.complete || named.join() !== asked) faults.push(`job ${id}: complete with ${named.join()}`);
    if (Object.keys(result.results).sort().join() !== asked) faults.push(`job ${id}: results are missing`);
    if (result.resultVersion !== job.resultVersion || result.state !== job.state)
      faults.push(`job ${id}: job and result differ`);
  }
  return { looked, faults };
}

function revisions({ jobs }) {
  const faults = [];
  const documents = Map.groupBy(
    [...jobs.values()].flatMap(({ job }) => job ?? []),
    ({ documentId }) => documentId,
  );
  const several = [...documents.values()].filter((each) => each.length > 1);
  for (const each of documents.values()) {
    const newest = Math.max(...each.map(({ revision }) => revision));
    for (const { id, revision, state, supersededBy } of each) {
      if (state !== 'superseded') continue;
      if (revision === newest) faults.push(`job ${id}: the newest revision ${revision} is superseded`);
      if (supersededBy !== null && !(supersededBy > revision && supersededBy <= newest))
        faults.push(`job ${id}: revision ${revision} superseded by ${supersededBy}`);
    }
    const numbers = new Set(each.map(({ revision }) => revision));
    if (numbers.size !== each.length) faults.push(`document ${each[0].documentId}: two jobs of one revision`);
  }
  return { looked: several.length, faults };
}

function furtherRuns({ load, jobs, finished }) {
  const newest = new Map();
  for (const { job } of jobs.values())
    newest.set(job?.documentId, Math.max(newest.get(job?.documentId) ?? 0, job?.revision ?? 0));
  const isOvertaken = (id) => newest.get(jobs.get(id)?.job?.documentId) > jobs.get(id)?.job?.revision;
  const refused = new Set(
    finished
      .filter((event) => statusOf(event) === 'REFUSED SUPERSEDED')
      .map(({ jobId, analysis, run }) => `${jobId} ${analysis} ${run}`),
  );
  const faults = load.runs.flatMap(({ job: id, analysis, run }) => {
    const effective = jobs.get(id)?.result?.receipt?.analyses?.[analysis]?.run;
    if (effective >= run || (isOvertaken(id) && refused.has(`${id} ${analysis} ${run}`))) return [];
    return [`job ${id}: run ${run} of ${analysis} was granted, and ${effective} is in effect`];
  });
  return { looked: load.runs.length, faults };
}

function settlements({ enriched, jobs }) {
  const faults = [];
  const byJob = Map.groupBy(enriched, ({ jobId }) => jobId);
  for (const [id, { job, result }] of jobs) {
    const events = byJob.get(id) ?? [];
    const versions = Map.groupBy(events, ({ resultVersion }) => Number(resultVersion));
    const numbers = [...versions.keys()].sort((a, b) => a - b);
    const wanted = Array.from({ length: job?.resultVersion ?? 0 }, (_, index) => index + 1);
    if (numbers.join() !== wanted.join()) faults.push(`job ${id}: settlements ${numbers.join()}, not ${wanted.join()}`);
    for (const [version, repeats] of versions)
      if (new Set(repeats.map((event) => JSON.stringify(event))).size > 1)
        faults.push(`job ${id}: settlement ${version} was published with different contents`);
    const last = versions.get(job?.resultVersion)?.[0];
    if (last && result && !isSameResult(last, result)) faults.push(`job ${id}: document.enriched and the API differ`);
  }
  return { looked: enriched.length, faults };
}

function isSameResult(event, { state, receipt, resultDigest }) {
  const published = event.outcomes.map(({ analysis, run, status }) => `${analysis} ${run} ${status.toLowerCase()}`);
  const answered = Object.entries(receipt.analyses)
    .filter(([, { outcome }]) => outcome !== 'waiting')
    .map(([name, { run, outcome }]) => `${name} ${run} ${outcome}`);
  const isSameDigest = event.outcomes.length === 0 || event.resultDigest === resultDigest;
  return event.state.toLowerCase() === state && published.sort().join() === answered.sort().join() && isSameDigest;
}

function outcomes({ finished, jobs }) {
  const faults = [];
  const byRun = Map.groupBy(finished, ({ jobId, analysis, run }) => `${jobId} ${analysis} ${run}`);
  for (const [name, events] of byRun) {
    const byId = Map.groupBy(events, ({ eventId }) => eventId);
    const state = jobs.get(events[0].jobId)?.job?.state;
    if (byId.size > 1 && !isDoneAndUnwanted(events, state))
      faults.push(`${name}: outcomes ${events.map(statusOf).join(', ')}`);
    for (const repeats of byId.values())
      if (new Set(repeats.map(contentOf)).size > 1) faults.push(`${name}: repeats with different results`);
  }
  for (const [id, { result }] of jobs)
    for (const [analysis, { run, outcome }] of Object.entries(result?.receipt?.analyses ?? {}))
      if (outcome === 'done' && !byRun.get(`${id} ${analysis} ${run}`)?.some((event) => statusOf(event) === 'DONE'))
        faults.push(`job ${id}: the receipt has ${analysis} ${run} done, and the topic has not`);
  return { looked: finished.length, faults };
}

const statusOf = ({ outcome: { status, refusal } }) => (refusal ? `${status} ${refusal.code}` : status);
const contentOf = ({ outcome, resultRef }) => JSON.stringify([outcome.status, outcome.result, resultRef]);

/**
 * Redelivered after a newer revision has begun, or the job was cancelled: the gate refuses what was done before. Done is
 * what counts.
 */
function isDoneAndUnwanted(events, state) {
  const statuses = new Set(events.map(statusOf));
  const isWithdrawn = (state === 'cancelled' || state === 'superseded') && statuses.has('REFUSED JOB_CLOSED');
  return statuses.size === 2 && statuses.has('DONE') && (statuses.has('REFUSED SUPERSEDED') || isWithdrawn);
}

/** A call that was granted a moment before another one's answer came may be logged a moment after it. */
const graceMs = 1_000;

/** Whoever was answered at such a moment may have died, or lost Postgres, before the answer was stored. */
const isAround =
  ({ arrivedAt, endedAt }) =>
  ({ from, until }) =>
    until >= Date.parse(arrivedAt) && from <= Date.parse(endedAt ?? arrivedAt) + graceMs;

/** A call whose caller was gone may have been sent just before that was killed, and be logged just after. */
const deadSenderMs = 100;

function calls({ calls: logged, answeredAt, abandoned, faults: done, modelled }) {
  const faults = [];
  const causes = done.filter(({ target }) => target === 'postgres' || modelled.some((name) => target.startsWith(name)));
  for (const [key, repeats] of Map.groupBy(logged, ({ idempotencyKey }) => idempotencyKey)) {
    const name = key.slice(0, 12);
    if (key === '') faults.push('a call had no Idempotency-Key');
    if (new Set(repeats.map(({ requestSha256 }) => requestSha256)).size > 1) faults.push(`${name}: different requests`);
    const stored = answeredAt.get(key);
    if (stored === undefined && !abandoned.has(key)) faults.push(`${name}: was called, and has no stored answer`);
    const last = repeats.at(-1);
    if (stored === undefined && last.outcome !== 'left' && !causes.some(isAround(last)))
      faults.push(`${name}: was answered, and the answer is not stored`);
    repeats.forEach(({ arrivedAt }, index) => {
      const arrived = Date.parse(arrivedAt);
      if (arrived > Number(stored) + graceMs)
        faults.push(`${name}: called ${arrived - Number(stored)} ms after its answer`);
      if (index === 0) return;
      const { arrivedAt: formerly, outcome } = repeats[index - 1];
      const since = Date.parse(formerly) - (outcome === 'left' ? deadSenderMs : 0);
      if (!causes.some(({ from, until }) => until >= since && from <= arrived))
        faults.push(`${name}: called again without a fault in between`);
    });
  }
  return { looked: logged.length, faults };
}
