import { createDatabase, type Database } from '@anabranch/database';
import { findApiKey } from '@anabranch/database/access';
import { listAnalyses } from '@anabranch/database/catalogue';
import { isKeyAnswered, sweepIdempotencyKeys } from '@anabranch/database/idempotency';
import { acceptDocument, settledJobs } from '@anabranch/database/jobs';
import { createAdmin, type KafkaConfig } from '@anabranch/kafka';
import { createObjectStore, type ObjectStore } from '@anabranch/object-store';
import {
  closeOrder,
  defineService,
  repeatStep,
  type ServiceContext,
  type ServiceModule,
} from '@anabranch/service-host';
import { Counter, type Registry } from 'prom-client';
import { createApiKeys } from './access/api-keys.js';
import { watchDependency } from './dependency-watch.js';
import { createAcceptance, type Acceptance } from './documents/acceptance.js';
import { createDocumentReader } from './documents/document-reader.js';
import { createHtmlReader } from './documents/html-reader.js';
import { createRunningKeys } from './documents/idempotency.js';
import { createKnownAnalyses } from './documents/known-analyses.js';
import { createLimitCounter, createPostRate, type OnLimitReached } from './documents/tenant-limits.js';
import { configureHttp } from './http/configure.js';
import { createHttpMetrics } from './http/http-metrics.js';
import { serverOptions } from './http/server-options.js';
import { createIngestedRelay } from './ingested-relay.js';
import { ingestionConfig, type IngestionConfig } from './ingestion.config.js';
import { IngestionModule } from './ingestion.module.js';
import { createJobCommands } from './jobs/job-commands.js';
import { createJobReader } from './jobs/job-reader.js';
import { createResultRenderer } from './jobs/result-renderer.js';
import { createSettlementWatch } from './jobs/settlement-watch.js';
import { createRulesDesk } from './rules/rules-desk.js';
import { createConsumption } from './why/consumption.js';
import { createExplainJob, type ExplainJob } from './why/explain-job.js';

type Context = ServiceContext<IngestionConfig>;

/** The door: accepts documents durably, publishes `document.ingested`, and shows what became of them. */
export const service = defineService({ name: 'ingestion', config: ingestionConfig, create });

async function create(context: Context): Promise<ServiceModule> {
  const { config, name, log, signal, onClose } = context;
  const db = await createDatabase(config, { name: `anabranch ${name}`, signal, log });
  onClose(() => db.close(), { order: closeOrder.stores, name: 'database' });
  const store = createObjectStore(config);
  watch(context, db, store);
  startRelay(context, db);
  startSweep(context, db);
  const onLimitReached = createLimitCounter(context.metrics);
  const jobs = createJobReader({ db, store, render: createResultRenderer() });
  const settlements = createSettlementWatch({ settledOf: (jobIds) => settledJobs(db, jobIds), signal });
  const ports = {
    acceptance: counted(context.metrics, acceptanceOver(config, { db, store, onLimitReached })),
    documents: createDocumentReader(db),
    jobs,
    results: { watch: settlements, jobs, log },
    commands: createJobCommands(db),
    explain: explainOver(context, db),
    rules: createRulesDesk(db, { delayMs: config.rulesDelayMs }),
    limits: {
      maxDocumentBytes: config.maxDocumentBytes,
      takePost: createPostRate({ perSecond: config.tenantPostsPerSecond, onLimitReached }),
    },
  };
  const metrics = createHttpMetrics(context.metrics);
  const findKey = createApiKeys({ find: (hash) => findApiKey(db, hash), ttlMs: config.cacheMs });
  return {
    module: IngestionModule.over(ports),
    http: {
      host: config.httpHost,
      port: config.httpPort,
      options: serverOptions,
      configure: (app) => configureHttp(app, { ...config, findKey, metrics, log, onLimitReached }),
    },
  };
}

/** Ready means: documents can be accepted. Kafka may be down meanwhile; what was accepted is published when it is back. */
function watch({ health, onClose }: Context, db: Database, store: ObjectStore): void {
  const watches = [
    { name: 'postgres', check: () => db.check() },
    { name: 'object-store', check: () => store.check() },
  ];
  for (const { name, check } of watches) {
    const watched = watchDependency({ name, check });
    health.register(name, watched.health);
    onClose(() => watched.stop(), { name: `watch of ${name}` });
  }
}

function kafkaOf({ config, name }: Context): KafkaConfig {
  return { brokers: config.kafkaBrokers, registryUrl: config.registryUrl, clientId: name };
}

/** The broker is asked only when somebody asks why; it may be down. */
function explainOver(context: Context, db: Database): ExplainJob {
  const broker = createAdmin(kafkaOf(context));
  context.onClose(() => broker.close(), { order: closeOrder.producers, name: 'admin of reasons' });
  const maxOutstanding = context.config.tenantOutstandingJobs;
  return createExplainJob({ db, consumption: createConsumption(broker), maxOutstanding });
}

function startRelay(context: Context, db: Database): void {
  const { config, onClose } = context;
  const relay = createIngestedRelay(db, kafkaOf(context), { ...context, maxOutstanding: config.tenantOutstandingJobs });
  onClose(() => relay.stop(), { order: closeOrder.relays, name: 'relay of document.ingested' });
  relay.start();
}

const sweepEveryMs = 60_000;

/** A sweep that fails costs nothing but room, and the next one finds what it has left. */
function startSweep(context: Context, db: Database): void {
  const run = () => sweepIdempotencyKeys(db, context.config.idempotencyKeyMs);
  repeatStep(context, { name: 'idempotency keys', everyMs: sweepEveryMs, run });
}

interface World {
  db: Database;
  store: ObjectStore;
  onLimitReached: OnLimitReached;
}

function acceptanceOver(config: IngestionConfig, { db, store, onLimitReached }: World): Acceptance {
  const list = async () => (await listAnalyses(db)).map(({ name }) => name);
  const keys = createRunningKeys((key) => isKeyAnswered(db, key));
  const accept = createAcceptance({
    accept: (document) => acceptDocument(db, document),
    knownAnalyses: createKnownAnalyses({ list, ttlMs: config.cacheMs }),
    store,
    readHtml: createHtmlReader(),
    deadlineMs: config.defaultDeadlineMs,
    graceMs: config.supersessionGraceMs ?? null,
    limits: { unsettledJobs: config.tenantUnsettledJobs, waitingEvents: config.maxWaitingEvents },
    onLimitReached,
  });
  return (request, sender) => keys.during(sender, () => accept(request, sender));
}

function counted(registry: Registry, accept: Acceptance): Acceptance {
  const accepted = new Counter({
    name: 'anabranch_jobs_accepted_total',
    help: 'Jobs opened for documents that came over HTTP.',
    registers: [registry],
  });
  return async (request, sender) => {
    const answer = await accept(request, sender);
    if (answer.created && !answer.replayed) accepted.inc();
    return answer;
  };
}
