// Gathers what the checks look at, when the platform is whole again and quiet.
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { openTopics } from './topics.mjs';

/** Backlog returns to zero by itself within this time of the last fault. */
const settleTimeoutMs = 300_000;

/** @param {import('./platform.mjs').Platform} platform */
async function rowsOf(platform, statement) {
  const client = new pg.Client({ connectionString: platform.book.postgres, connectionTimeoutMillis: 10_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    return (await client.query(statement)).rows;
  } finally {
    await client.end().catch(() => {});
  }
}

const unfinished = `
  SELECT (SELECT count(*)::integer FROM job WHERE state IN ('accepted', 'analysing', 'awaiting_review')) AS unsettled,
         (SELECT count(*)::integer FROM outbox) AS outbox,
         (SELECT count(*)::integer FROM deferred) AS deferred,
         (SELECT count(*)::integer FROM job_analysis ja JOIN job j ON j.id = ja.job_id
          WHERE ja.wanted_run > ja.effective_run AND j.state IN ('complete', 'partial')
            AND NOT EXISTS (SELECT FROM outcome o WHERE (o.job_id, o.analysis, o.run) = (ja.job_id, ja.analysis, ja.wanted_run)
                              AND o.status <> 'late')) AS runs`;

/** Waits until nothing is left to do. Returns how long that took; what does not end shows in the checks. */
export async function waitUntilSettled(platform, say) {
  const begin = performance.now();
  for (let told = 0; performance.now() - begin < settleTimeoutMs;) {
    const [row] = await rowsOf(platform, unfinished).catch(() => []);
    if (row && Object.values(row).every((count) => count === 0)) return performance.now() - begin;
    if (performance.now() - told > 10_000) {
      say(`waiting: ${JSON.stringify(row ?? 'Postgres does not answer')}`);
      told = performance.now();
    }
    await delay(250);
  }
  return performance.now() - begin;
}

/**
 * Operations without an answer whose jobs, of which there is one at least, were all cancelled or superseded: nobody waits
 * for them any more, so nobody asks again. Any other operation has an answer in the end.
 */
const abandoned = `SELECT encode(o.key, 'hex') AS key FROM operation o
  JOIN operation_use u ON u.key = o.key LEFT JOIN job j ON j.id = u.job_id
  WHERE o.state <> 'answered'
  GROUP BY o.key HAVING bool_and(j.state IS NOT NULL AND j.state IN ('cancelled', 'superseded'))`;

/** @returns {Promise<import('./checks.mjs').Evidence>} */
export async function gatherEvidence({ platform, client, load, faults, model, modelled }) {
  const topics = openTopics(platform.book);
  const names = await topics.names();
  const results = names.filter((name) => name.endsWith('.finished'));
  const finished = [];
  for (const topic of results)
    for (const event of await topics.events(topic)) finished.push({ ...event, analysis: topic.split('.')[1] });
  const answers = await rowsOf(
    platform,
    `SELECT encode(key, 'hex') AS key, extract(epoch FROM answered_at) * 1000 AS at FROM operation WHERE state = 'answered'`,
  );
  return {
    client,
    load,
    jobs: await jobsOf(client),
    enriched: await topics.events('document.enriched'),
    finished,
    calls: await model.calls(),
    answeredAt: new Map(answers.map(({ key, at }) => [key, Number(at)])),
    abandoned: new Set((await rowsOf(platform, abandoned)).map(({ key }) => key)),
    leftovers: await leftoversOf(platform, topics, names),
    rebuilt: await platform.differingJobs(),
    faults: faults.done,
    cuts: platform.cutter.cuts,
    services: [...new Set(platform.book.processes.filter(({ metricsUrl }) => metricsUrl).map(({ name }) => name))],
    modelled,
  };
}

async function leftoversOf(platform, topics, names) {
  const [rows] = await rowsOf(
    platform,
    `SELECT (SELECT count(*)::integer FROM outbox) AS outbox, (SELECT count(*)::integer FROM deferred) AS deferred,
            (SELECT count(*)::integer FROM outbox_failure) AS "outbox failures",
            (SELECT count(*)::integer FROM operation WHERE state <> 'answered'
               AND encode(key, 'hex') NOT IN (${abandoned})) AS "unanswered operations"`,
  );
  const left = Object.entries(rows).map(([name, count]) => ({ name, count }));
  left.push({ name: 'dead letters', count: await topics.count('dead-letters') });
  const groups = (await topics.groups()).filter((group) => !group.startsWith('proof-'));
  for (const group of groups) left.push({ name: `lag of ${group}`, count: await quietLag(topics, group, names) });
  return left;
}

/** Commits come within a second or so after the work. */
async function quietLag(topics, group, names) {
  let lag = 0;
  for (let look = 0; look < 20; look++) {
    lag = await topics.lag(group, consumedBy(group, names));
    if (lag === 0) return 0;
    await delay(1_000);
  }
  return lag;
}

/** What a group reads, as the documentation has it. */
function consumedBy(group, names) {
  const topics = group.endsWith('collection')
    ? names.filter((name) => name.endsWith('.finished') || name === 'document.ingested')
    : names.filter(
        (name) => name === 'document.ingested' || (group.includes(name.split('.')[1]) && name.endsWith('.requested')),
      );
  return topics;
}

async function jobsOf(client) {
  const ids = [...new Set(client.posts.flatMap(({ jobIds }) => jobIds))];
  const jobs = new Map();
  const lanes = 8;
  await Promise.all(
    Array.from({ length: lanes }, async (_, lane) => {
      for (let at = lane; at < ids.length; at += lanes) {
        const job = await client.ask(`/v1/jobs/${ids[at]}`);
        const result = await client.ask(`/v1/jobs/${ids[at]}/result`);
        jobs.set(ids[at], {
          job: job.status === 200 ? job.body : null,
          result: result.status === 200 ? result.body : null,
        });
      }
    }),
  );
  return jobs;
}
