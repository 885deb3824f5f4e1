import avro from 'avsc';
import { namedTypes, visit } from './named-types.mjs';

const levels = ['public', 'internal', 'confidential', 'restricted'];
const logicalTypes = ['timestamp-millis'];

/** What every event carries, so that it can be placed, ordered and followed without its topic's own fields. */
const envelope = {
  eventId: 'string',
  tenantId: 'string',
  documentId: 'string',
  revision: 'long',
  jobId: 'string',
  correlationId: 'string',
  causationId: 'string',
  occurredAt: 'timestamp-millis',
};

/** What is wrong with each version's schema and example, taken alone. @returns {string[]} */
export function schemaFaults(topics) {
  return topics.flatMap(({ versions }) => versions.flatMap((version) => versionFaults(version)));
}

function versionFaults({ file, schema, example, version }) {
  if (schema === undefined) return [];
  const fault = (text) => `schemas/${file}: ${text}.`;
  const type = parsed(schema);
  if (type instanceof Error) return [fault(`is not Avro (${type.message})`)];
  const rules = [...rootFaults(schema), ...envelopeFaults(schema), ...typeFaults(schema)].map(fault);
  const exampleFile = file.replace(/v\d+\.avsc$/, `v${version}.example.json`);
  const broken = example === undefined ? [] : exampleFaults(type, example);
  return [...rules, ...broken.map((text) => `schemas/${exampleFile}: ${text}.`)];
}

function parsed(schema) {
  try {
    return avro.Type.forSchema(structuredClone(schema));
  } catch (error) {
    return error;
  }
}

function rootFaults({ type, name, namespace }) {
  const rules = [
    [type === 'record', 'the event must be a record'],
    [/^[A-Z][A-Za-z0-9]*$/.test(name ?? ''), 'the event’s name must be in PascalCase'],
    [/^anabranch(\.[a-z][a-z0-9_]*)+$/.test(namespace ?? ''), 'the namespace must begin with "anabranch."'],
  ];
  return rules.filter(([holds]) => !holds).map(([, rule]) => rule);
}

function envelopeFaults({ fields = [] }) {
  const typeOf = (name) => fields.find((field) => field.name === name)?.type;
  return Object.entries(envelope)
    .filter(([name, type]) => (typeOf(name)?.logicalType ?? typeOf(name)) !== type)
    .map(([name, type]) => `the event needs the field ${name} of type ${type}`);
}

function typeFaults(schema) {
  const faults = [];
  for (const { name, symbols, default: fallback } of namedTypes(schema).values()) {
    if (symbols && (fallback !== 'UNKNOWN' || !symbols.includes('UNKNOWN'))) {
      faults.push(`the enum ${name} needs the symbol UNKNOWN as its default, or it can never grow`);
    }
  }
  visit(schema, (type) => {
    if (type.logicalType !== undefined && !logicalTypes.includes(type.logicalType)) {
      faults.push(
        `the logical type ${type.logicalType} is not one that the generator knows (${logicalTypes.join(', ')})`,
      );
    }
    for (const field of type.fields ?? []) faults.push(...fieldFaults(type.name, field));
  });
  return faults;
}

function fieldFaults(record, { name, doc, sensitivity, type, default: fallback }) {
  const isOption = Array.isArray(type);
  const rules = [
    [levels.includes(sensitivity), `needs a sensitivity: ${levels.join(', ')}`],
    [typeof doc === 'string' && doc !== '', 'needs a doc'],
    [!isOption || (type.length === 2 && type[0] === 'null'), 'may be a union of null and one type only, null first'],
    [!isOption || fallback === null, 'is an option, so its default must be null'],
  ];
  return rules.filter(([holds]) => !holds).map(([, rule]) => `${record}.${name} ${rule}`);
}

function exampleFaults(type, example) {
  const broken = invalidPaths(type, example).map((path) => `${path} does not fit the schema`);
  if (broken.length > 0) return broken;
  const options = { noUndeclaredFields: true };
  return invalidPaths(type, example, options).map((path) => `${path} has a field that the schema does not know`);
}

function invalidPaths(type, example, options = {}) {
  const paths = new Set();
  type.isValid(example, { ...options, errorHook: (path) => paths.add(path.join('.') || 'the event') });
  return [...paths];
}
