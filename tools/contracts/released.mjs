import { readFileSync, writeFileSync } from 'node:fs';
import { checksumOf } from './canonical.mjs';

// `schemas/released.json`: topic → version → checksum. A version that is listed is used by somebody and never changes.

/** @returns {Record<string, Record<string, string>> | undefined} undefined when there is no such file */
export function readReleased(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw new Error(`${file} is not JSON: take it from version control again.`, { cause: error });
  }
}

/** What was released and is no longer as it was, and what should have been released. @returns {string[]} */
export function releasedFaults(topics, released) {
  if (released === undefined)
    return ['schemas/released.json is missing: take it from version control again, or release.'];
  return [...topics.flatMap((topic) => unreleasedFaults(topic, released)), ...changedFaults(topics, released)];
}

function unreleasedFaults({ name, versions }, released) {
  return versions
    .slice(0, -1)
    .filter(({ version }) => released[name]?.[`v${version}`] === undefined)
    .map(({ version }) => `schemas/${name}/v${version}.avsc has a successor but was never released; run release.`);
}

/** Released versions that are no longer as they were. @returns {string[]} */
export function changedFaults(topics, released) {
  const checksums = new Map(
    topics.flatMap(({ name, versions }) =>
      versions
        .filter(({ schema }) => schema !== undefined)
        .map((each) => [`${name}/v${each.version}`, checksumOf(each.schema)]),
    ),
  );
  return entriesOf(released)
    .filter(([version, checksum]) => checksums.get(version) !== checksum)
    .map(([version]) =>
      checksums.has(version)
        ? `schemas/${version}.avsc is released and was changed; restore it, and make the change in the next version.`
        : `schemas/${version}.avsc is released and is gone; restore it, old events still need it.`,
    );
}

const entriesOf = (released) =>
  Object.entries(released).flatMap(([topic, versions]) =>
    Object.entries(versions).map(([version, checksum]) => [`${topic}/${version}`, checksum]),
  );

/**
 * Lists every version that is not listed yet; those that are stay as they are.
 * @returns {string[]} the versions that were added
 */
export function addReleases(file, topics) {
  const released = readReleased(file) ?? {};
  const added = [];
  for (const { name, versions } of topics) {
    for (const { version, schema } of versions) {
      if (released[name]?.[`v${version}`] !== undefined) continue;
      released[name] = { ...released[name], [`v${version}`]: checksumOf(schema) };
      added.push(`${name}/v${version}`);
    }
  }
  const sorted = Object.fromEntries(Object.entries(released).sort(([one], [other]) => (one < other ? -1 : 1)));
  if (added.length > 0) writeFileSync(file, `${JSON.stringify(sorted, null, 2)}\n`);
  return added;
}
