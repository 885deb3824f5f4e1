import type { TopicDefinition } from '@anabranch/contracts';
import type { TopicDescription } from './broker-admin.js';

/** What a topic must be like at the broker. */
export interface TopicSettings {
  readonly partitions: number;
  readonly config: Readonly<Record<string, string>>;
}

/** A dead letter is its record and a dozen headers more, so it must be allowed to be larger than the record was. */
const rawMaxMessageBytes = 2 * 1024 * 1024;

/** The settings that follow from a definition. */
export function settingsOf(definition: TopicDefinition): TopicSettings {
  const config: Record<string, string> = { 'retention.ms': String(definition.retentionMs), 'cleanup.policy': 'delete' };
  // Lateness is judged by the broker's clock, not by those of the producers.
  if (isKeyedByDocument(definition)) config['message.timestamp.type'] = 'LogAppendTime';
  if (definition.subject === null) config['max.message.bytes'] = String(rawMaxMessageBytes);
  return { partitions: definition.partitions, config };
}

/** How a topic that exists differs from its definition, one sentence each. */
export function deviationsOf(definition: TopicDefinition, found: TopicDescription): string[] {
  const problems: string[] = [];
  if (found.partitions !== definition.partitions) {
    problems.push(`The topic ${found.name} has ${found.partitions} partitions, not ${definition.partitions}.`);
  }
  if (isKeyedByDocument(definition) && found.timestampType !== 'LogAppendTime') {
    problems.push(
      `The topic ${found.name} has message.timestamp.type=${found.timestampType}, not LogAppendTime: lateness would be judged by the producers’ clocks.`,
    );
  }
  return problems;
}

/** Whether a record that is retried for so long, after it has waited its turn, may be gone before it is handled. */
export function outlivesRetention(retryMaxAgeMs: number, { retentionMs }: TopicDescription): boolean {
  const isUnlimited = retentionMs < 0;
  return !isUnlimited && retryMaxAgeMs >= retentionMs / 2;
}

function isKeyedByDocument({ key }: TopicDefinition): boolean {
  return key === 'documentId';
}
