import { canonicalText } from './canonical.mjs';
import {
  analysisTopics,
  eventTopics,
  fullName,
  latest,
  namedTypes,
  requestTopics,
  resultRecord,
} from './named-types.mjs';
import { inputRecords } from './render-events.mjs';

/** TypeScript for the topic table, and for the types that tie a topic to its event. */
export function renderTopics(topics) {
  const events = eventTopics(topics);
  const analyses = analysisTopics(topics);
  const definitions = new Map(events.flatMap((topic) => [...namedTypes(latest(topic).schema)]));
  const withInput = inputRecords(definitions);
  const eventName = (topic) => latest(topic).schema.name;
  const inputName = (topic) => (withInput.has(eventName(topic)) ? `${eventName(topic)}Input` : eventName(topic));
  const imports = new Set([
    ...events.flatMap((topic) => [eventName(topic), inputName(topic)]),
    ...analyses.map(resultRecord),
  ]);
  return [
    `import type { TopicDefinition } from '../topic-definition.js';`,
    `import type {\n${[...imports]
      .sort()
      .map((name) => `  ${name},\n`)
      .join('')}} from './events.generated.js';\n`,
    `export type TopicName = ${union(topics)};\n`,
    `/** The topics whose records are events of ours; the others carry bytes as they were. */`,
    `export type EventTopic = ${union(events)};\n`,
    `/** The topics of results: one per analysis. */`,
    `export type AnalysisTopic = ${union(analyses)};\n`,
    `/** The topics of commands: one per analysis. */`,
    `export type RequestTopic = ${union(requestTopics(topics))};\n`,
    table(
      'EventOf',
      'The event that each topic carries, as a reader gets it.',
      events.map((t) => [t.name, eventName(t)]),
    ),
    table(
      'InputOf',
      'The event of each topic as a producer fills it.',
      events.map((t) => [t.name, inputName(t)]),
    ),
    table(
      'ResultOf',
      'The result of each analysis.',
      analyses.map((t) => [t.settings.analysis, resultRecord(t)]),
    ),
    `/** Every topic of the platform, by name. */`,
    `export const topics: Readonly<Record<TopicName, TopicDefinition>> = {\n${topics.map(renderTopic).join('')}};\n`,
  ].join('\n');
}

const union = (topics) => topics.map((topic) => quoted(topic.name)).join(' | ') || 'never';

function table(name, doc, rows) {
  return `/** ${doc} */\nexport interface ${name} {\n${rows.map(([key, type]) => `  ${quoted(key)}: ${type};\n`).join('')}}\n`;
}

function renderTopic(topic) {
  const { settings, versions } = topic;
  const last = latest(topic);
  const result = settings.analysis && `${fullName(last.schema, resultRecord(topic))}/v${last.version}`;
  const entries = {
    name: quoted(topic.name),
    description: quoted(settings.description),
    key: quoted(settings.key),
    subject: last ? quoted(`${topic.name}-value`) : 'null',
    compatibility: settings.compatibility ? quoted(settings.compatibility) : 'null',
    partitions: String(settings.partitions),
    retentionMs: String(settings.retentionMs),
    producers: list(settings.producers),
    consumers: list(settings.consumers),
    analysis: settings.analysis ? quoted(settings.analysis) : 'null',
    requests: settings.requests ? quoted(settings.requests) : 'null',
    resultSchema: result ? quoted(result) : 'null',
    latestVersion: last ? String(last.version) : 'null',
    versions: `[${versions.map((each) => `\n      { version: ${each.version}, schema: ${quoted(canonicalText(each.schema))} },`).join('')}${last ? '\n    ' : ''}]`,
  };
  const lines = Object.entries(entries).map(([key, value]) => `    ${key}: ${value},\n`);
  return `  ${quoted(topic.name)}: {\n${lines.join('')}  },\n`;
}

const list = (values) => `[${values.map(quoted).join(', ')}]`;

const quoted = (text) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`;
