// Collects every ANABRANCH_ setting of the platform from the schemas of the built services and the lists of the tools.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { listProjects, repositoryRoot } from './projects.mjs';

/**
 * @typedef {object} Setting
 * @property {string} variable
 * @property {string} description what it is
 * @property {boolean} secret
 * @property {boolean} required
 * @property {string} standard the value when it is not set; '' = none
 * @property {string[]} usedBy services; empty = every process
 */

/**
 * @typedef {object} Catalogue
 * @property {Setting[]} host read by every process
 * @property {Setting[]} services
 * @property {Setting[]} launcher read by `npm start` and the other commands
 * @property {string[]} compose names that docker-compose.yml substitutes
 * @property {string[]} faults what is wrong with the schemas, each with its fix
 */

/**
 * @param {string} [root]
 * @returns {Promise<Catalogue>} throws when something is not built
 */
export async function collectSettings(root = repositoryRoot) {
  const { describeSettings } = await importBuilt(root, 'libs/service-host/dist/settings.js');
  const { hostSettings } = await importBuilt(root, 'libs/service-host/dist/host-settings.js');
  /** @type {(schema: any, usedBy: string[]) => Setting[]} */
  const settingsOf = (schema, usedBy) =>
    describeSettings(schema).map((/** @type {any} */ described) => ({
      ...described,
      standard: standardOf(schema.shape[described.key]),
      usedBy,
    }));
  const perService = [];
  for (const { folder, shortName } of listProjects(root).filter((project) => project.folder.startsWith('services/'))) {
    const { service } = await importBuilt(root, `${folder}/dist/service.js`);
    if (!service) throw new Error(`${folder}/src/service.ts exports no "service": export it with defineService`);
    perService.push(settingsOf(service.config, [shortName]));
  }
  const host = settingsOf(hostSettings, []);
  const merged = mergeSettings(perService.flat());
  return {
    host,
    services: merged.settings,
    launcher: await launcherSettings(root),
    compose: composeVariables(root),
    faults: [...merged.faults, ...undescribed([...host, ...merged.settings])],
  };
}

/** @type {(root: string, path: string) => Promise<any>} */
async function importBuilt(root, path) {
  if (!existsSync(join(root, path)))
    throw new Error(`${path} is missing: build with node_modules/.bin/tsc -b tsconfig.build.json`);
  return import(pathToFileURL(join(root, path)).href);
}

/** @param {any} schema */
function standardOf(schema) {
  const { success, data } = schema.safeParse(undefined);
  if (!success || data === undefined || data === null) return '';
  return Array.isArray(data) ? data.join(',') : String(data);
}

/**
 * One entry per variable. Two services that read the same variable must mean the same by it.
 * @param {readonly Setting[]} all
 * @returns {{ settings: Setting[], faults: string[] }}
 */
export function mergeSettings(all) {
  /** @type {Map<string, Setting>} */
  const merged = new Map();
  const faults = [];
  for (const setting of all) {
    const known = merged.get(setting.variable);
    if (known && !isSame(known, setting)) {
      faults.push(
        `${setting.variable} means one thing in ${known.usedBy.join(', ')} and another in ${setting.usedBy.join(', ')}: ` +
          'define it once, in the lib that owns it, or give each service its own name',
      );
    }
    const required = setting.required || (known?.required ?? false);
    merged.set(setting.variable, { ...setting, required, usedBy: [...(known?.usedBy ?? []), ...setting.usedBy] });
  }
  const settings = [...merged.values()].sort((a, b) => (a.variable < b.variable ? -1 : 1));
  return { settings, faults };
}

/**
 * What one service needs another may do without.
 * @type {(a: Setting, b: Setting) => boolean}
 */
function isSame(a, b) {
  return a.description === b.description && a.secret === b.secret && a.standard === b.standard;
}

/** @param {readonly Setting[]} settings */
function undescribed(settings) {
  return settings
    .filter(({ description }) => description === '')
    .map(({ variable }) => `${variable} has no description: add .describe('…') to its schema, to say what it is`);
}

/** @param {string} root */
async function launcherSettings(root) {
  const path = join(root, 'tools/stack/settings.mjs');
  if (!existsSync(path)) return [];
  const module = await import(pathToFileURL(path).href);
  return module.launcherSettings.map((/** @type {{ variable: string, description: string }} */ setting) => ({
    ...setting,
    secret: false,
    required: false,
    standard: '',
    usedBy: [],
  }));
}

/** @param {string} root */
function composeVariables(root) {
  const path = join(root, 'docker-compose.yml');
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  return [...new Set([...text.matchAll(/\$\{(ANABRANCH_\w+)/g)].map(([, variable]) => String(variable)))].sort();
}
