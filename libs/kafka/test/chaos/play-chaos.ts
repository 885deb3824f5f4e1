import { setTimeout as delay } from 'node:timers/promises';
import { CommitLog } from '../harness/commit-log.js';
import { uniqueConfig } from '../harness/environment.js';
import { addPartitions } from '../harness/group-state.js';
import { OwnBroker } from '../harness/own-broker.js';
import type { Platform } from '../harness/platform.js';
import { play, type Played } from '../schedules/play.js';
import type { Accident, Chaos } from './chaos.js';

/** Plays it on a broker of its own. @param settleMs how long the lag may take to reach zero afterwards */
export async function playChaos({ schedule, accidents }: Chaos, settleMs: number): Promise<Played> {
  const broker = await OwnBroker.start();
  try {
    const commits = await CommitLog.start({ ...uniqueConfig(), brokers: [broker.address] });
    try {
      const meanwhile = (platform: Platform): Promise<void> => playAccidents(accidents, broker, platform);
      return await play(schedule, { broker: broker.address, commits, meanwhile, settleMs });
    } finally {
      await commits.stop();
    }
  } finally {
    await broker.stop();
  }
}

async function playAccidents(accidents: readonly Accident[], broker: OwnBroker, { config }: Platform): Promise<void> {
  const startedAt = Date.now();
  for (const accident of accidents) {
    await delay(Math.max(0, startedAt + accident.atMs - Date.now()));
    if (accident.kind === 'more partitions') {
      await addPartitions(config, 'document.ingested', accident.partitions);
      continue;
    }
    await broker.stop();
    await delay(accident.downMs);
    await broker.resume();
  }
}
