import { join } from 'node:path';
import { staleFiles } from './generate.mjs';
import { readReleased, releasedFaults } from './released.mjs';
import { schemaFaults } from './schema-rules.mjs';
import { sharedFaults } from './shared-rules.mjs';
import { readSources } from './sources.mjs';
import { topicFaults } from './topic-rules.mjs';
import { versionFaults } from './version-rules.mjs';

/**
 * What is wrong with the sources themselves, whatever was released or generated from them.
 * @returns {{ faults: string[], seen: { topics: number, versions: number, pairs: number } }} `seen` tells what was looked at
 */
export function checkSources({ topics, faults }) {
  const versions = topics.reduce((sum, topic) => sum + topic.versions.length, 0);
  const compared = versionFaults(topics);
  const nothing =
    versions === 0 ? ['schemas: no schema was found, so nothing was checked; is this the right folder?'] : [];
  return {
    faults: [
      ...nothing,
      ...faults,
      ...topicFaults(topics),
      ...schemaFaults(topics),
      ...sharedFaults(topics),
      ...compared.faults,
    ],
    seen: { topics: topics.length, versions, pairs: compared.pairs },
  };
}

/** The whole check of a repository: sources, frozen versions, generated files. */
export function checkRepository(root) {
  const sources = readSources(join(root, 'schemas'));
  const { faults, seen } = checkSources(sources);
  faults.push(...releasedFaults(sources.topics, readReleased(join(root, 'schemas', 'released.json'))));
  // Generated files are compared only where the sources are sound: the generator relies on their rules.
  if (faults.length === 0) faults.push(...staleFaults(root, sources.topics));
  return { faults, seen };
}

/** The generated files that somebody edited, or forgot to generate. */
export function staleFaults(root, topics) {
  const fix = 'run `node tools/contracts/cli.mjs generate` and commit it';
  return staleFiles(root, topics).map((path) => `${path} is not what schemas/ says; ${fix}.`);
}
