import { analysisTopics, eventTopics, latest, namedTypes, recordWithin, requestTopics } from './named-types.mjs';

const primitives = {
  null: 'null',
  boolean: 'boolean',
  int: 'number',
  long: 'number',
  float: 'number',
  double: 'number',
  bytes: 'Buffer',
  string: 'string',
  unknown: 'unknown',
};

/** TypeScript for every record and enum of the latest versions; a type that several files share is written once. */
export function renderEvents(topics) {
  const definitions = new Map(eventTopics(topics).flatMap((topic) => [...namedTypes(latest(topic).schema)]));
  for (const record of commonRecords(topics, definitions)) definitions.set(record.name, record);
  const withInput = inputRecords(definitions);
  const types = [...definitions.values()].map((type) =>
    type.type === 'enum' ? renderEnum(type) : renderRecord(type, withInput),
  );
  return types.join('\n\n') + '\n';
}

/** Names of the records that a producer may fill in part, because a field of theirs, at any depth, has a default. */
export function inputRecords(definitions) {
  const names = new Set();
  const isPartial = (type) => typesWithin(type).some((name) => names.has(name));
  let size = -1;
  while (size < names.size) {
    size = names.size;
    for (const [name, { fields = [] }] of definitions) {
      if (fields.some((field) => field.default !== undefined || isPartial(field.type))) names.add(name);
    }
  }
  return names;
}

function typesWithin(type) {
  if (Array.isArray(type)) return type.flatMap(typesWithin);
  if (typeof type === 'string') return [type];
  if (type.name !== undefined) return [type.name];
  return typesWithin(type.items ?? type.values ?? type.type);
}

function renderEnum({ name, doc, symbols }) {
  return `${jsdoc(doc)}export type ${name} = ${symbols.map((symbol) => `'${symbol}'`).join(' | ')};`;
}

function renderRecord(record, withInput) {
  const full = renderInterface(record, { textOf: (type) => typeText(type) });
  if (!withInput.has(record.name)) return full;
  const doc = `${record.name} as a producer fills it: what has a default may be left out.`;
  const textOf = (type) => typeText(type, (name) => (withInput.has(name) ? `${name}Input` : name));
  return `${full}\n\n${renderInterface({ ...record, name: `${record.name}Input`, doc }, { textOf, optional: true })}`;
}

function renderInterface({ name, doc, fields }, { textOf, optional = false }) {
  const lines = fields.map((field) => {
    const mark = optional && field.default !== undefined ? '?' : '';
    return `${jsdoc(fieldDoc(field), '  ')}  ${field.name}${mark}: ${textOf(field.type)};`;
  });
  return `${jsdoc(doc)}export interface ${name} {\n${lines.join('\n')}\n}`;
}

/** What the events of all analyses have in common, as records, for code that must not name one. */
function commonRecords(topics, definitions) {
  return [...commonOutcomes(topics, definitions), ...commonRequests(topics)];
}

function commonRequests(topics) {
  const doc = 'What the commands to all analyses have in common.';
  return requestTopics(topics)
    .slice(0, 1)
    .map((topic) => ({ ...latest(topic).schema, name: 'AnalysisRequested', doc }));
}

function commonOutcomes(topics, definitions) {
  const [topic] = analysisTopics(topics);
  if (topic === undefined) return [];
  const { schema } = latest(topic);
  const outcome = definitions.get(recordWithin(schema.fields.find(({ name }) => name === 'outcome').type, definitions));
  const withType = (record, name, type) => record.fields.map((each) => (each.name === name ? { ...each, type } : each));
  return [
    { ...outcome, name: 'Outcome', fields: withType(outcome, 'result', 'unknown') },
    {
      ...schema,
      name: 'AnalysisFinished',
      doc: 'What the outcomes of all analyses have in common.',
      fields: withType(schema, 'outcome', 'Outcome'),
    },
  ];
}

function typeText(type, nameOf = (name) => name) {
  if (Array.isArray(type)) {
    const texts = type.map((branch) => typeText(branch, nameOf));
    return [...texts.filter((text) => text !== 'null'), ...texts.filter((text) => text === 'null')].join(' | ');
  }
  if (typeof type === 'string') return primitives[type] ?? nameOf(type);
  if (type.name !== undefined) return nameOf(type.name);
  if (type.type === 'array') return `${wrapped(typeText(type.items, nameOf))}[]`;
  if (type.type === 'map') return `Record<string, ${typeText(type.values, nameOf)}>`;
  return typeText(type.type, nameOf);
}

const wrapped = (text) => (text.includes('|') ? `(${text})` : text);

function fieldDoc({ doc = '', type, sensitivity }) {
  const unit = type.logicalType === 'timestamp-millis' ? ' Epoch milliseconds.' : '';
  const guarded = sensitivity === 'confidential' || sensitivity === 'restricted' ? ` (${sensitivity})` : '';
  return `${doc}${unit}${guarded}`;
}

const jsdoc = (doc, indent = '') => (doc ? `${indent}/** ${doc.replaceAll('*/', '*\\/')} */\n` : '');
