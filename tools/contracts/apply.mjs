import { setTimeout as delay } from 'node:timers/promises';
import { topics } from '@anabranch/contracts';
import { createDatabase, databaseConfig } from '@anabranch/database';
import { listAnalyses, upsertAnalyses } from '@anabranch/database/catalogue';
import { DependencyUnavailable, isFailure } from '@anabranch/failures';
// Past the library's index, which brings a consumer and its framework along: this tool runs at every start.
import { createAdmin } from '../../libs/kafka/dist/admin/create-admin.js';
import { kafkaConfig } from '../../libs/kafka/dist/service-config.js';
import { changesOf, summaryOf } from './apply-summary.mjs';

// The step of deployment: topics, schemas, catalogue. Services only look up what this has made. It may be repeated.

const name = 'contracts apply';
/** Longer than a restart of any of them takes; beyond it, a person should look. */
const deadlineMs = 30_000;
const exitCodes = { failed: 1, configuration: 78 };

const variables = {
  kafkaBrokers: 'ANABRANCH_KAFKA_BROKERS',
  registryUrl: 'ANABRANCH_REGISTRY_URL',
  postgresUrl: 'ANABRANCH_POSTGRES_URL',
};

/** Reads the three addresses. @returns {{ config?: any, faults: string[] }} */
function readConfig(env) {
  const values = Object.fromEntries(Object.entries(variables).map(([key, variable]) => [key, env[variable]]));
  const parsed = [kafkaConfig, databaseConfig.pick({ postgresUrl: true, postgresPoolSize: true })].map((schema) =>
    schema.safeParse(values),
  );
  const faults = parsed
    .flatMap(({ error }) => error?.issues ?? [])
    .map(({ path: [key], message }) => `${variables[key]}: ${values[key] === undefined ? 'is not set' : message}`);
  return { faults, config: Object.assign({}, ...parsed.map(({ data }) => data)) };
}

async function applyToKafka({ kafkaBrokers, registryUrl }, definitions) {
  const admin = createAdmin({ brokers: kafkaBrokers, registryUrl, clientId: name });
  try {
    const missing = await admin.missingSchemas(definitions);
    const [ensured, registered] = await Promise.all([
      admin.ensureTopics(definitions),
      admin.registerSchemas(definitions),
    ]);
    // Versions come oldest first: what was missing is the last of its subject.
    const latest = new Map(registered.map((schema) => [schema.subject, schema]));
    return { ...ensured, registered: missing.map((subject) => latest.get(subject)) };
  } finally {
    await admin.close();
  }
}

async function applyToCatalogue(config, analyses) {
  const db = await createDatabase(config, { name });
  try {
    const before = new Map((await listAnalyses(db)).map((each) => [each.name, each.resultSchema]));
    const added = await upsertAnalyses(db, analyses);
    return {
      added,
      updated: analyses.filter((each) => before.has(each.name) && before.get(each.name) !== each.resultSchema),
    };
  } finally {
    await db.close();
  }
}

/** Clients wait for a dependency that is down for as long as it takes; a step of deployment says so and ends. */
function inTime(dependency, step) {
  const seconds = deadlineMs / 1_000;
  const late = new DependencyUnavailable(dependency, `${dependency} did not answer within ${seconds} s: is it up?`);
  return Promise.race([step, delay(deadlineMs, undefined, { ref: false }).then(() => Promise.reject(late))]);
}

/** Both sides are tried, whatever becomes of the other, and each says what it changed. */
async function apply(config) {
  const definitions = Object.values(topics);
  const analyses = definitions
    .filter(({ analysis }) => analysis !== null)
    .map(({ analysis, resultSchema }) => ({ name: analysis, resultSchema }));
  const steps = await Promise.allSettled([
    inTime('kafka', applyToKafka(config, definitions)),
    inTime('postgres', applyToCatalogue(config, analyses)),
  ]);
  const done = steps.flatMap(({ value }) => (value === undefined ? [] : [value]));
  return {
    changes: changesOf(done),
    warnings: done.flatMap(({ problems = [] }) => problems),
    failures: steps.flatMap(({ status, reason }) => (status === 'rejected' ? [reason] : [])),
    summary: summaryOf({ definitions, analyses, done }),
  };
}

const { config, faults } = readConfig(process.env);
if (faults.length > 0) {
  console.error(`${name} cannot start:\n${faults.map((fault) => `- ${fault}`).join('\n')}`);
  process.exit(exitCodes.configuration);
}
const { changes, warnings, failures, summary } = await apply(config);
for (const line of changes) console.log(line);
for (const line of warnings) console.error(`warning: ${line}`);
for (const failure of failures) console.error(`${name}: ${isFailure(failure) ? failure.message : failure.stack}`);
// A client that still waits for its dependency would keep the process alive.
if (failures.length > 0) process.exit(exitCodes.failed);
console.log(summary);
