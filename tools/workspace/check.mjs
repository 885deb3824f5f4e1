// Checks that everything that belongs together is there: node tools/workspace/check.mjs. Needs built services.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { renderReference, staleReference } from './config-reference.mjs';
import { findCycle, repositoryRoot } from './projects.mjs';
import { collectSettings } from './settings-catalogue.mjs';
import { staleReferences } from './sync.mjs';
import * as analysisRules from './wiring/analysis-rules.mjs';
import * as docRules from './wiring/doc-rules.mjs';
import * as projectRules from './wiring/project-rules.mjs';
import { readWorkspace } from './wiring/workspace.mjs';

/** @typedef {import('./wiring/workspace.mjs').Workspace} Workspace */

/**
 * The rules that only read files.
 * @type {((workspace: Workspace) => string[])[]}
 */
const rules = [
  projectRules.tagFaults,
  projectRules.readmeFaults,
  projectRules.dependencyFaults,
  projectRules.nameFaults,
  projectRules.indexFaults,
  projectRules.specFaults,
  analysisRules.analysisFaults,
  analysisRules.entryFaults,
  analysisRules.topicFaults,
  analysisRules.releaseFaults,
  docRules.decisionFaults,
];

/**
 * A check that looks at nothing passes, so what there must be at least one of is counted.
 * @param {Workspace} workspace
 * @returns {string[]}
 */
export function emptinessFaults({ projects, services, analyses, topics, files }) {
  const counts = {
    libs: projects.length - services.length,
    services: services.length,
    analyses: analyses.length,
    topics: Object.keys(topics).length,
    specs: files.filter((path) => path.endsWith('.spec.ts')).length,
    decisions: files.filter((path) => /^docs\/adr\/\d{4}-/.test(path)).length,
  };
  return Object.entries(counts)
    .filter(([, count]) => count === 0)
    .map(
      ([what]) =>
        `the wiring check found no ${what}: run it in the repository, see tools/workspace/wiring/workspace.mjs`,
    );
}

/** @param {Workspace} workspace */
export function fileFaults(workspace) {
  const cycle = findCycle(workspace.projects);
  const circles = cycle.length > 0 ? [`projects depend on each other in a circle: ${cycle.join(' -> ')}`] : [];
  return [...emptinessFaults(workspace), ...circles, ...rules.flatMap((rule) => rule(workspace))];
}

/** What only built code can tell. @param {Workspace} workspace */
async function builtFaults({ services }) {
  const missing = services.filter(({ folder }) => !existsSync(join(repositoryRoot, folder, 'dist/service.js')));
  if (missing.length > 0) {
    return missing.map(({ folder }) => `${folder} is not built: run node_modules/.bin/tsc -b tsconfig.build.json`);
  }
  const catalogue = await collectSettings();
  const stale = staleReference(renderReference(catalogue));
  return [
    ...catalogue.faults,
    ...stale.map((path) => `${path} is not current: run node tools/workspace/config-reference.mjs`),
    ...analysisRules.groupFaults(services, await builtNames(services)),
  ];
}

/** @param {Workspace['services']} services */
async function builtNames(services) {
  const entries = services.map(async ({ folder }) => {
    const { service } = await import(pathToFileURL(join(repositoryRoot, folder, 'dist/service.js')).href);
    return /** @type {const} */ ([folder, service?.name]);
  });
  return new Map(await Promise.all(entries));
}

async function main() {
  const workspace = readWorkspace(repositoryRoot);
  const stale = await staleReferences();
  const faults = [
    ...fileFaults(workspace),
    ...stale.map((path) => `${path} is not current: run node tools/workspace/sync.mjs`),
    ...(await builtFaults(workspace)),
  ];
  for (const fault of faults) console.error(fault);
  const { projects, analyses, topics } = workspace;
  const looked = `${projects.length} projects, ${analyses.length} analyses, ${Object.keys(topics).length} topics`;
  console.log(`wiring: ${looked}; ${faults.length} faults`);
  process.exitCode = faults.length > 0 ? 1 : 0;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main();
