import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const schemaFile = /^v([1-9]\d*)\.avsc$/;
const exampleFile = /^v([1-9]\d*)\.example\.json$/;

/**
 * Reads `schemas/`: one folder per topic, one file per version. What cannot be read is a fault, never left out silently.
 * @returns {{ topics: Topic[], faults: string[] }} topics by name; a fault says what is wrong and how to mend it
 * @typedef {{ version: number, file: string, schema: any, example: any }} Version
 * @typedef {{ name: string, settings: any, versions: Version[] }} Topic
 */
export function readSources(schemasFolder) {
  const faults = [];
  if (!existsSync(schemasFolder)) return { topics: [], faults };
  const topics = readdirSync(schemasFolder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => readTopic(schemasFolder, entry.name, faults))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
  return { topics, faults };
}

function readTopic(schemasFolder, name, faults) {
  const files = readdirSync(join(schemasFolder, name));
  const read = (file) => readJson(schemasFolder, `${name}/${file}`, faults);
  if (!files.includes('topic.json')) faults.push(`schemas/${name}: has no topic.json; add one like its neighbours'.`);
  const versions = files
    .filter((file) => schemaFile.test(file))
    .map((file) => ({ version: Number(schemaFile.exec(file)[1]), file: `${name}/${file}`, schema: read(file) }))
    .map((version) => ({ ...version, example: readExample(name, version.version, { files, read, faults }) }))
    .sort((one, other) => one.version - other.version);
  for (const file of files) {
    if (file !== 'topic.json' && !schemaFile.test(file) && !exampleFile.test(file)) {
      faults.push(`schemas/${name}/${file}: is neither topic.json, vN.avsc nor vN.example.json; move it elsewhere.`);
    }
  }
  return { name, settings: files.includes('topic.json') ? (read('topic.json') ?? {}) : {}, versions };
}

function readExample(name, version, { files, read, faults }) {
  const file = `v${version}.example.json`;
  if (files.includes(file)) return read(file);
  faults.push(`schemas/${name}: has no ${file}; write a realistic event, unions as plain values.`);
  return undefined;
}

function readJson(schemasFolder, file, faults) {
  try {
    return JSON.parse(readFileSync(join(schemasFolder, file), 'utf8'));
  } catch (error) {
    faults.push(`schemas/${file}: is not JSON (${error.message}).`);
    return undefined;
  }
}
