// Avro schemas as plain JSON: what the generator and the checks need to know of their records and enums.

/** The records and enums that a schema defines, by simple name, in the order of their definition. */
export function namedTypes(schema) {
  const found = new Map();
  visit(schema, (type) => {
    if (type.name !== undefined) found.set(type.name, type);
  });
  return found;
}

/** Calls `see` for each complex type within a schema, outermost first. */
export function visit(type, see) {
  if (Array.isArray(type)) return type.forEach((branch) => visit(branch, see));
  if (type === null || typeof type !== 'object') return;
  see(type);
  for (const field of type.fields ?? []) visit(field.type, see);
  for (const inner of [type.items, type.values]) if (inner !== undefined) visit(inner, see);
  if (typeof type.type === 'object') visit(type.type, see);
}

/** The schema with each reference in place of the definition, so that two definitions can be compared. */
export function withReferences(type) {
  if (Array.isArray(type)) return type.map(withReferences);
  if (type === null || typeof type !== 'object') return type;
  if (type.name !== undefined) return type.name;
  return Object.fromEntries(Object.entries(type).map(([key, value]) => [key, withReferences(value)]));
}

/** What a record or enum is, without its namespace and without the definitions inside it. */
export function shapeOf(definition) {
  const { namespace: _, ...rest } = definition;
  if (definition.fields === undefined) return rest;
  return { ...rest, fields: definition.fields.map((field) => ({ ...field, type: withReferences(field.type) })) };
}

/** The simple name of the record that a field holds, alone, in a list, in a map or as an option; else undefined. */
export function recordWithin(type, definitions) {
  if (Array.isArray(type)) return type.map((branch) => recordWithin(branch, definitions)).find(Boolean);
  if (typeof type === 'string') return definitions.get(type)?.type === 'record' ? type : undefined;
  if (type.type === 'record') return type.name;
  const inner = type.items ?? type.values;
  return inner === undefined ? undefined : recordWithin(inner, definitions);
}

/** The full name of a record of a file, which is what resolves between versions. */
export const fullName = (schema, name) => `${schema.namespace}.${name}`;

/** The version that types are made of. */
export const latest = (topic) => topic.versions.at(-1);

/** The topics that carry events of ours; the others carry bytes as they were. */
export const eventTopics = (topics) => topics.filter((topic) => topic.versions.length > 0);

/** The topics of results: one per analysis. */
export const analysisTopics = (topics) => eventTopics(topics).filter((topic) => topic.settings.analysis !== undefined);

/** The topics of commands: one per analysis. */
export const requestTopics = (topics) => eventTopics(topics).filter((topic) => topic.settings.requests !== undefined);

/** The record that an analysis' `outcome.result` holds. */
export function resultRecord(topic) {
  const { schema } = latest(topic);
  const definitions = namedTypes(schema);
  const outcome = schema.fields.find((field) => field.name === 'outcome');
  const outcomeRecord = outcome && definitions.get(recordWithin(outcome.type, definitions));
  const result = outcomeRecord?.fields.find((field) => field.name === 'result');
  const name = result && recordWithin(result.type, definitions);
  if (name === undefined) {
    throw new Error(`schemas/${topic.name}: an analysis' event needs outcome.result, a record or null.`);
  }
  return name;
}
