import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { StackFault } from '../fault.mjs';
import { areArtifactsCached } from './artifacts.mjs';
import { findJava, javaMinimum } from './java.mjs';

const nodeMinimum = 20;
/** What the services run on. On Linux npm installs it beside the other packages. */
const serviceNodeMinimum = 24;

/**
 * @param {import('../settings.mjs').Settings} settings
 * @param {NodeJS.ProcessEnv} env
 * @returns {import('./java.mjs').Java}
 */
export function requirePrerequisites(settings, env) {
  const java = findJava(env);
  const missing = [...missingNode(), ...missingJava(java), ...missingMaven(settings, env)];
  if (missing.length > 0 || java.best === null) throw new StackFault(explain(missing));
  return java.best;
}

function missingNode() {
  const major = Number(process.versions.node.split('.')[0]);
  const bundled = process.platform === 'linux' && ['x64', 'arm64'].includes(process.arch);
  const minimum = bundled ? nodeMinimum : serviceNodeMinimum;
  if (major >= minimum) return [];
  return [{ what: `Node ${minimum} or newer (this is ${process.versions.node})`, debian: 'nodejs', brew: 'node@24' }];
}

/** @param {ReturnType<typeof findJava>} java */
function missingJava({ best, found }) {
  if (best !== null) return [];
  const have = found.length > 0 ? `newest found: ${found[0].version} in ${found[0].home}` : 'none found';
  return [{ what: `Java ${javaMinimum} or newer (${have})`, debian: 'openjdk-21-jre-headless', brew: 'openjdk@21' }];
}

/**
 * Maven only fetches Kafka and the registry: with both in the cache nobody needs it.
 * @param {import('../settings.mjs').Settings} settings
 * @param {NodeJS.ProcessEnv} env
 */
function missingMaven(settings, env) {
  const isOnPath = (env.PATH ?? '').split(':').some((folder) => folder && existsSync(join(folder, 'mvn')));
  if (isOnPath || areArtifactsCached(settings.cacheDir)) return [];
  return [{ what: 'Maven (mvn), which fetches Kafka and the schema registry', debian: 'maven', brew: 'maven' }];
}

/** @param {{ what: string, debian: string, brew: string }[]} missing */
function explain(missing) {
  const debian = missing.map((item) => item.debian).join(' ');
  const brew = missing.map((item) => item.brew).join(' ');
  return [
    'This machine lacks:',
    ...missing.map(({ what }) => `  - ${what}`),
    'To install it:',
    `  Debian, Ubuntu:  sudo apt-get install ${debian}`,
    `  macOS:           brew install ${brew}`,
    ...(debian.includes('openjdk')
      ? ['Debian 12 has no Java 21: take Temurin 21 or newer, and set JAVA_HOME to it.']
      : []),
    ...(debian.includes('nodejs') ? ['A distribution without a Node that new: https://nodejs.org/en/download'] : []),
  ].join('\n');
}
