// What collection does by itself, without a record that asks for it.
import { analysisTopics } from '@anabranch/contracts';
import type { Database } from '@anabranch/database';
import { dueDependencies, followReleased, overdueJobs, passDeadlines, releaseRuns } from '@anabranch/database/jobs';
import { sweepLedger } from '@anabranch/database/ledger';
import { createAdmin, type KafkaConfig } from '@anabranch/kafka';
import { closeOrder, repeatStep, type RepeatedStep, type ServiceContext } from '@anabranch/service-host';
import type { CollectionMetrics } from './collection-metrics.js';
import type { CollectionConfig } from './collection.config.js';
import { Deadlines } from './deadlines.js';
import { Releases } from './releases.js';

/** How often jobs are looked for whose deadline has passed, and runs whose wait is over. */
const lookEveryMs = 1_000;
const sweepEveryMs = 600_000;

export interface TimerOptions {
  readonly kafka: KafkaConfig;
  /** The consumer group of this service. */
  readonly group: string;
  readonly metrics: Pick<CollectionMetrics, 'settled' | 'released'>;
}

type Context = ServiceContext<CollectionConfig>;

/** Starts the timers; they end with the service. Several processes may run them side by side. */
export function startTimers(context: Context, db: Database, options: TimerOptions): void {
  const { ledgerRetentionDays } = context.config;
  repeatStep(context, { name: 'deadlines', everyMs: lookEveryMs, run: deadlineStep(context, db, options) });
  repeatStep(context, { name: 'releases', everyMs: lookEveryMs, run: releaseStep(db, options) });
  repeatStep(context, { name: 'ledger', everyMs: sweepEveryMs, run: () => sweepLedger(db, ledgerRetentionDays) });
}

/** Settles jobs whose time is up. */
function deadlineStep(
  { onClose }: Context,
  db: Database,
  { kafka, group, metrics }: TimerOptions,
): RepeatedStep['run'] {
  const admin = createAdmin(kafka);
  onClose(() => admin.close(), { order: closeOrder.producers, name: 'admin of deadlines' });
  const topics = analysisTopics.map(({ name }) => name);
  const deadlines = new Deadlines({
    overdue: (known, limit) => overdueJobs(db, { known, limit }),
    pass: (jobs) => passDeadlines(db, jobs),
    ends: async () => (await Promise.all(topics.map((topic) => admin.endOffsets(topic)))).flat(),
    committed: () => admin.committedOffsets(group, topics),
    now: Date.now,
  });
  return async () => (await deadlines.check()).forEach((job) => metrics.settled(job));
}

/** Lets deferred runs go on. */
function releaseStep(db: Database, { metrics }: TimerOptions): RepeatedStep['run'] {
  const releases = new Releases({
    due: () => dueDependencies(db),
    release: (dependency, limit) => releaseRuns(db, { dependency, limit }),
    follow: (runs) => followReleased(db, runs),
    now: () => performance.now(),
  });
  return async () => metrics.released(await releases.check());
}
