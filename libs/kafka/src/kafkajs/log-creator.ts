import kafkajs, { type LogEntry } from 'kafkajs';
import type { Logger } from '../logger.js';

type Level = 'debug' | 'warn' | 'error';

/** What kafkajs reports as an error or a warning although it belongs to normal work, and deals with by itself. */
const ordinary = [
  /already exists/i,
  /coordinator is (not available|loading)/i,
  /not the correct coordinator/i,
  /group is rebalancing/i,
  /coordinator is not aware of this member/i,
  /group member needs to have a valid member id/i,
  /generation id is not valid/i,
  // What follows from these answers is thrown, and logged by whoever catches it.
  /Response (Heartbeat|OffsetCommit|JoinGroup|SyncGroup|CreateTopics|Metadata|GroupCoordinator|FindCoordinator)\(/,
  /Response without match/,
];

/** An outage that the client bridges by trying again: for a warning, since the runtime reports what follows from it. */
const outage = [
  /^Connection (error|timeout)/,
  /Failed to (connect|send)/,
  /Closed connection/,
  /Restarting the consumer/,
];

/** The level at which a line of kafkajs is worth logging here. */
export function levelOf({ level, log }: Pick<LogEntry, 'level' | 'log'>): Level {
  if (level > kafkajs.logLevel.WARN) return 'debug';
  const text = `${log.message} ${String(log['error'] ?? '')}`;
  if (ordinary.some((pattern) => pattern.test(text))) return 'debug';
  if (level === kafkajs.logLevel.WARN || outage.some((pattern) => pattern.test(text))) return 'warn';
  return 'error';
}

/** During an outage every client says so several times a second; one line in this time is enough. */
const outageEveryMs = 10_000;

/** Leads kafkajs' log into ours. */
export function createLogCreator(log: Logger, now: () => number = Date.now): () => (entry: LogEntry) => void {
  let lastWarningAt = -Infinity;
  let lastCrash: Level = 'error';
  return () => (entry) => {
    const { message, error, broker, groupId, retryCount } = entry.log;
    const fields = { component: `kafkajs ${entry.namespace}`.trim(), error, broker, groupId, retryCount };
    const own = levelOf(entry);
    if (message.startsWith('Crash:')) lastCrash = own;
    // A restart is as remarkable as what led to it: none at all while a new broker loads its groups, at a first start.
    const level = message.startsWith('Restarting the consumer') && lastCrash === 'debug' ? 'debug' : own;
    const isRepeated = level === 'warn' && now() - lastWarningAt < outageEveryMs;
    if (level === 'warn' && !isRepeated) lastWarningAt = now();
    log[isRepeated ? 'debug' : level](fields, message);
  };
}
