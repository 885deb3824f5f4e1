import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@anabranch/test-support';
import { topicNameOf } from '../../src/kafka-config.js';
import { planned } from '../fixtures/plan.js';
import type { CommitLog } from '../harness/commit-log.js';
import type { Breach } from '../harness/owner-audit.js';
import { Platform } from '../harness/platform.js';
import { TopicReader } from '../harness/topic-reader.js';
import { GroupRun } from './group-run.js';
import { Ledger, type Evidence } from './ledger.js';
import type { Schedule, ScheduledRecord } from './schedule.js';

const settleWithinMs = 60_000;
/** The header that tells which record of the schedule a record is. */
const indexHeader = 'schedule-index';

/** What came of a schedule. */
export interface Played {
  readonly breaches: readonly Breach[];
  readonly counts: Readonly<Record<string, number>>;
}

/** Where schedules are played. */
export interface Stage {
  /** `host:port` */
  readonly broker: string;
  /** The commits of that broker. */
  readonly commits: CommitLog;
  /** Called when all members of a schedule have joined; the schedule waits for its end. */
  readonly meanwhile?: (platform: Platform) => Promise<void>;
  /** How long the lag may take to reach zero after all that. */
  readonly settleMs?: number;
}

/** Plays one schedule, with topics and a group of its own. */
export async function play(schedule: Schedule, stage: Stage): Promise<Played> {
  const { broker, commits, meanwhile, settleMs = settleWithinMs } = stage;
  const platform = await Platform.start({ partitions: schedule.partitions, brokers: [broker] });
  const run = new GroupRun(platform.config, platform.uniqueGroup(), schedule);
  try {
    await platform.producer.start(['document.ingested']);
    await run.begin();
    const startedAt = Date.now();
    await Promise.all([run.play(startedAt), produce(schedule, platform, startedAt), meanwhile?.(platform)]);
    // That the lag does not reach zero is found by the ledger, with what is missing.
    await eventually(() => platform.hasNoLag(run.group), { timeoutMs: settleMs, everyMs: 100 }).catch(() => {});
    await run.end();
    const evidence = {
      ...(await readTopics(schedule, platform)),
      owners: run.owners,
      commits: await commits.of(run.group),
    };
    const ledger = new Ledger(schedule, evidence);
    const breaches = [...run.breaches, ...ledger.breaches];
    return { breaches, counts: { ...run.counts, ...countsOf(evidence), 'handled again': ledger.repeats } };
  } finally {
    await run.kill();
    await platform.close();
  }
}

async function produce({ records }: Schedule, { producer }: Platform, startedAt: number): Promise<void> {
  await Promise.all(
    records.map(async (record, index) => {
      await delay(Math.max(0, startedAt + record.atMs - Date.now()));
      const documentId = `key-${record.key}`;
      const headers = { [indexHeader]: String(index) };
      if (record.isGarbage) {
        const raw = [[indexHeader, Buffer.from(String(index))]] as const;
        return producer.publishRaw('document.ingested', {
          key: Buffer.from(documentId),
          value: Buffer.from('?'),
          headers: raw,
        });
      }
      const event = { tenantId: 'tenant', documentId, revision: 1, occurredAt: startedAt, text: planned(record.plan) };
      return producer.publish('document.ingested', event, { headers });
    }),
  );
}

async function readTopics(
  schedule: Schedule,
  { config, admin }: Platform,
): Promise<Pick<Evidence, 'log' | 'deadLetters'>> {
  const [consumed, letters] = ['document.ingested', 'dead-letters'] as const;
  const reader = await TopicReader.start(
    config,
    [consumed, letters].map((topic) => topicNameOf(config, topic)),
  );
  await reader.reach([...(await admin.endOffsets(consumed)), ...(await admin.endOffsets(letters))]);
  await reader.stop();
  const of = (topic: string) => reader.records.filter((record) => record.topic === topicNameOf(config, topic));
  const log = of(consumed).map((record) => {
    const index = Number(record.headers.find(([name]) => name === indexHeader)?.[1]);
    return { record, scheduled: schedule.records[index] as ScheduledRecord };
  });
  return { log, deadLetters: of(letters) };
}

function countsOf({ owners, commits, deadLetters, log }: Evidence): Record<string, number> {
  const said = (msg: string) => owners.flatMap(({ lines }) => lines.filter((line) => line['msg'] === msg)).length;
  return {
    records: log.length,
    tries: said('started'),
    assignments: said('partitions were assigned'),
    commits: commits.length,
    'dead letters': deadLetters.length,
    'fenced processes': said('fatal'),
  };
}
