/** @typedef {import('./workspace.mjs').Workspace} Workspace */

const layers = ['layer:foundation', 'layer:platform', 'layer:runtime', 'layer:test'];
const kinds = ['kind:analysis', 'kind:pipeline'];
const readmeMaxLines = 80;

/** Nx hardly checks a project without tags. @type {(workspace: Workspace) => string[]} */
export function tagFaults({ projects }) {
  return projects.flatMap(({ folder, tags }) => {
    if (folder.startsWith('libs/')) return expectOne(folder, tags, layers);
    const service = tags.includes('layer:service') ? [] : [tagFault(folder, 'layer:service')];
    return [...service, ...expectOne(folder, tags, kinds)];
  });
}

/** @type {(folder: string, tags: string[], choices: string[]) => string[]} */
function expectOne(folder, tags, choices) {
  const count = choices.filter((tag) => tags.includes(tag)).length;
  return count === 1 ? [] : [tagFault(folder, `exactly one of ${choices.join(', ')}`)];
}

/** @type {(folder: string, wanted: string) => string} */
function tagFault(folder, wanted) {
  return `${folder}/package.json: give "nx": { "tags" } ${wanted}`;
}

/** A README is read, so it is short. @type {(workspace: Workspace) => string[]} */
export function readmeFaults({ projects, files, read }) {
  return projects.flatMap(({ folder }) => {
    const path = `${folder}/README.md`;
    if (!files.includes(path))
      return [`${path} is missing: say what it owns, does not own, its invariants, how to change it`];
    const lines = read(path).split('\n').length;
    return lines <= readmeMaxLines ? [] : [`${path} has ${lines} lines: stay under a page (${readmeMaxLines})`];
  });
}

/** An import that package.json does not declare has no project reference, and so a random build order. @type {(workspace: Workspace) => string[]} */
export function dependencyFaults({ projects, files, read }) {
  const names = new Set(projects.map(({ name }) => name));
  return projects.flatMap(({ folder, name, dependencies }) => {
    const sources = files.filter((path) => path.startsWith(`${folder}/src/`) && path.endsWith('.ts'));
    const imported = new Set(sources.flatMap((path) => workspaceImports(read(path))).filter((each) => names.has(each)));
    imported.delete(name);
    const undeclared = [...imported].filter((each) => !dependencies.includes(each));
    const unused = dependencies.filter((each) => !imported.has(each));
    return [
      ...undeclared.map(
        (each) => `${folder}/package.json: add "${each}": "*" to dependencies, then run node tools/workspace/sync.mjs`,
      ),
      ...unused.map(
        (each) =>
          `${folder}/package.json: remove ${each}, which src does not import, then run node tools/workspace/sync.mjs`,
      ),
    ];
  });
}

/** @param {string} source */
function workspaceImports(source) {
  const specifiers = source.matchAll(/(?:from|import)\s*\(?\s*'(@anabranch\/[a-z-]+)/g);
  return [...specifiers].map(([, name]) => String(name));
}

const vagueFolders = /^(common|shared|core|utils?|helpers?|types|dto|interfaces|services|managers?)$/;
const vagueSuffix = /[.-](helpers?|managers?|utils?|dto|interface)\.[a-z]+$/;

/** House-style §1 and §3: names that say what a thing is. @type {(workspace: Workspace) => string[]} */
export function nameFaults({ projects, files }) {
  return projects.flatMap(({ folder }) => {
    const sources = files.filter((path) => path.startsWith(`${folder}/src/`));
    return sources.flatMap((path) => {
      const parts = path.slice(folder.length + '/src/'.length).split('/');
      const name = String(parts.at(-1));
      const vague = parts.slice(0, -1).find((part) => vagueFolders.test(part));
      return [
        ...(vague ? [`${path}: name the folder "${vague}" for a concept, not for a pattern`] : []),
        ...(vagueSuffix.test(name) ? [`${path}: name the file for its main export, without this suffix`] : []),
        ...(/^[a-z0-9]+([.-][a-z0-9]+)*$/.test(name) ? [] : [`${path}: file names are kebab-case`]),
      ];
    });
  });
}

/** One index.ts per entry point that package.json exports, and no other barrel. @type {(workspace: Workspace) => string[]} */
export function indexFaults({ projects, files }) {
  return projects.flatMap(({ folder, manifest }) => {
    const entries = Object.values(manifest.exports ?? {}).map(
      (entry) => `${folder}/${String(entry['@anabranch/source']).slice(2)}`,
    );
    const missing = entries.filter((path) => !files.includes(path));
    const barrels = files.filter(
      (path) => path.startsWith(`${folder}/src/`) && path.endsWith('/index.ts') && !entries.includes(path),
    );
    return [
      ...missing.map(
        (path) => `${folder}/package.json exports ${path}, which does not exist: write it, or remove the export`,
      ),
      ...barrels.map((path) => `${path} is no entry point of package.json: import its files directly and remove it`),
    ];
  });
}

/** A spec with another suffix is run by no command. @type {(workspace: Workspace) => string[]} */
export function specFaults({ files }) {
  const specs = files.filter((path) => /\.(spec|test)\.[a-z]+$/.test(path));
  return specs
    .filter((path) => !/\/test\/.*\.(unit|contract|int|sim|e2e)\.spec\.ts$/.test(path))
    .map((path) => `${path}: no test command finds it; name it test/NAME.(unit|contract|int).spec.ts`);
}
