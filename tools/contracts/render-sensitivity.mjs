import { eventTopics, latest, namedTypes, recordWithin } from './named-types.mjs';

/** TypeScript for the table by which events are redacted: each record's fields, how sensitive, and what they hold. */
export function renderSensitivity(topics) {
  const definitions = new Map(eventTopics(topics).flatMap((topic) => [...namedTypes(latest(topic).schema)]));
  const records = [...definitions.values()].filter((type) => type.type === 'record');
  const rows = eventTopics(topics).map((topic) => `  '${topic.name}': '${latest(topic).schema.name}',\n`);
  return [
    `import type { RecordSensitivity } from '../redact.js';`,
    `import type { EventTopic } from './topics.generated.js';\n`,
    `/** The record that each topic carries. */`,
    `export const recordOf: Readonly<Record<EventTopic, string>> = {\n${rows.join('')}};\n`,
    `/** How sensitive each field is, by record. */`,
    `export const sensitivity: Readonly<Record<string, RecordSensitivity>> = {`,
    `${records.map((record) => renderRecord(record, definitions)).join('\n')}\n};\n`,
  ].join('\n');
}

function renderRecord(record, definitions) {
  const fields = record.fields.map((field) => {
    const inner = recordWithin(field.type, definitions);
    return `    ${field.name}: { level: '${field.sensitivity}'${inner ? `, record: '${inner}'` : ''} },`;
  });
  return `  ${record.name}: {\n${fields.join('\n')}\n  },`;
}
