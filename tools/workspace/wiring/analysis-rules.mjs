/** @typedef {import('./workspace.mjs').Workspace} Workspace */

/**
 * An analysis is one folder and one schema, all of the same shape: what is missing here would be missing in operation.
 * @type {(workspace: Workspace) => string[]}
 */
export function analysisFaults({ analyses, files }) {
  return analyses.flatMap(({ folder, shortName }) => {
    const topics = ['finished', 'requested'].map((kind) => `schemas/analysis.${shortName}.${kind}`);
    const wanted = [
      ...topics.flatMap((topic) => [`${topic}/topic.json`, `${topic}/v1.avsc`, `${topic}/v1.example.json`]),
      `${folder}/src/${shortName}.analysis.ts`,
      `${folder}/test/${shortName}.unit.spec.ts`,
      `${folder}/test/${shortName}.contract.spec.ts`,
    ];
    return wanted
      .filter((path) => !files.includes(path))
      .map((path) => `${path} is missing: every analysis has one, see services/summary and its schemas`);
  });
}

/** Every service can run: alone by main.ts, hosted by service.ts. @type {(workspace: Workspace) => string[]} */
export function entryFaults({ services, files }) {
  return services
    .flatMap(({ folder }) => [`${folder}/src/main.ts`, `${folder}/src/service.ts`])
    .filter((path) => !files.includes(path))
    .map((path) => `${path} is missing: service.ts exports "service", main.ts runs it`);
}

// Who reads or writes a topic without being one service.
const roles = ['any producer', 'any consumer', 'every consumer group', 'operators', 'analyses'];

/** @type {(workspace: Workspace) => string[]} */
export function topicFaults({ services, analyses, topics }) {
  const names = new Set([...services.map(({ shortName }) => shortName), ...roles]);
  const unknown = Object.entries(topics).flatMap(([topic, { producers = [], consumers = [] }]) =>
    [...producers, ...consumers]
      .filter((name) => !names.has(name))
      .map(
        (name) =>
          `schemas/${topic}/topic.json names "${name}": there is no such service, nor is it one of ${roles.join(', ')}`,
      ),
  );
  const orphans = Object.entries(topics)
    .map(([topic, { analysis, requests }]) => ({ topic, owner: analysis ?? requests }))
    .filter(({ owner }) => owner && !analyses.some(({ shortName }) => shortName === owner))
    .map(({ topic, owner }) => `schemas/${topic}: there is no analysis services/${owner} tagged kind:analysis`);
  return [...unknown, ...orphans];
}

/** Every version is frozen by its checksum. @type {(workspace: Workspace) => string[]} */
export function releaseFaults({ files, released }) {
  return files.flatMap((path) => {
    const [, topic, version] = /^schemas\/([^/]+)\/(v\d+)\.avsc$/.exec(path) ?? [];
    if (!topic || !version || released[topic]?.[version]) return [];
    return [`${path} is not released: run node tools/contracts/cli.mjs release`];
  });
}

/**
 * A group's name is made of its service's: two services of one name would share a group and halve each other's input.
 * @param {{ folder: string, shortName: string }[]} services
 * @param {Map<string, string | undefined>} built the name that each folder's built service has
 * @returns {string[]}
 */
export function groupFaults(services, built) {
  return services
    .filter(({ folder, shortName }) => built.get(folder) !== shortName)
    .map(
      ({ folder, shortName }) =>
        `${folder}/src/service.ts is named "${built.get(folder)}": its name, and so its consumer group, must be "${shortName}"`,
    );
}
