import avro from 'avsc';
import { namedTypes } from './named-types.mjs';

const levels = ['public', 'internal', 'confidential', 'restricted'];

/**
 * What a version of a topic breaks for the readers and writers of another, judged without a registry.
 * @returns {{ faults: string[], pairs: number }} how many pairs were compared, so that "none" is seen
 */
export function versionFaults(topics) {
  const compared = topics.map((topic) => pairsOf(topic).map(([older, newer]) => pairFaults(topic, older, newer)));
  return { faults: compared.flat(2), pairs: compared.flat().length };
}

function pairsOf({ versions, settings }) {
  const readable = versions.filter(({ schema }) => schema !== undefined);
  return readable.flatMap((newer, index) => {
    const from = settings.compatibility?.endsWith('_TRANSITIVE') ? 0 : Math.max(0, index - 1);
    return readable.slice(from, index).map((older) => [older, newer]);
  });
}

function pairFaults({ name, settings }, older, newer) {
  const say = (text) => `schemas/${name}: v${newer.version} against v${older.version}: ${text}.`;
  const backward = resolution(newer.schema, older.schema);
  const forward = settings.compatibility?.startsWith('FULL') ? resolution(older.schema, newer.schema) : null;
  return [
    ...(backward ? [`a reader of v${newer.version} cannot read v${older.version} (${backward})`] : []),
    ...(forward ? [`a reader of v${older.version} cannot read v${newer.version} (${forward})`] : []),
    ...growthFaults(older.schema, newer.schema),
  ].map(say);
}

/** Why a reader cannot resolve a writer; null when it can. */
function resolution(reader, writer) {
  try {
    avro.Type.forSchema(structuredClone(reader)).createResolver(avro.Type.forSchema(structuredClone(writer)));
    return null;
  } catch (error) {
    return error.message;
  }
}

/** What resolves, yet breaks somebody: unions that grow, enums that lose symbols, secrets that turn public. */
function growthFaults(older, newer) {
  const faults = [];
  const newTypes = namedTypes(newer);
  for (const [name, before] of namedTypes(older)) {
    const after = newTypes.get(name);
    if (after === undefined) continue;
    const lost = (before.symbols ?? []).filter((symbol) => !(after.symbols ?? []).includes(symbol));
    if (lost.length > 0) faults.push(`the enum ${name} lost ${lost.join(', ')}; stored events still carry it`);
    for (const field of before.fields ?? []) faults.push(...fieldFaults(name, field, after.fields ?? []));
  }
  return faults;
}

function fieldFaults(record, before, fieldsAfter) {
  const after = fieldsAfter.find(({ name }) => name === before.name);
  if (after === undefined) return [];
  const path = `${record}.${before.name}`;
  const faults = [];
  if (branches(before.type) !== branches(after.type)) {
    faults.push(`${path} changed the branches of its union; add a field with a default instead`);
  }
  if (levels.indexOf(after.sensitivity) < levels.indexOf(before.sensitivity)) {
    faults.push(
      `${path} became less sensitive (${before.sensitivity} → ${after.sensitivity}); stored events would leak`,
    );
  }
  if (before.default !== undefined && after.default === undefined) {
    faults.push(`${path} lost its default; producers leave it out`);
  }
  return faults;
}

function branches(type) {
  return Array.isArray(type) ? type.map((branch) => branch.name ?? branch.type ?? branch).join('|') : '';
}
