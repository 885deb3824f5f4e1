// The newest Java that Kafka and the registry can run on. Read from each installation's `release` file: asking every
// `java -version` would take longer than starting Kafka.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isFile } from '../files.mjs';

/** Apicurio Registry 3.3 needs it; Kafka 4 would do with 17. */
export const javaMinimum = 21;

/** @typedef {{ home: string, command: string, version: string, feature: number }} Java */

/**
 * @param {NodeJS.ProcessEnv} env
 * @returns {{ best: Java | null, found: Java[] }} `best` is null when none is new enough
 */
export function findJava(env) {
  const homes = [...new Set([...candidateHomes(env)].map((home) => realpathSync(home)))];
  const found = homes.map(describe).filter((java) => java !== null);
  found.sort((a, b) => b.feature - a.feature);
  const best = found.find(({ feature }) => feature >= javaMinimum) ?? null;
  return { best, found };
}

/**
 * @param {NodeJS.ProcessEnv} env
 * @returns {Iterable<string>}
 */
function* candidateHomes(env) {
  const home = env.HOME ?? '';
  const onPath = (env.PATH ?? '').split(':').map((folder) => join(folder, 'java'));
  const named = env.JAVA_HOME ? [join(env.JAVA_HOME, 'bin', 'java')] : [];
  for (const command of [...named, ...onPath].filter(existsSync)) yield dirname(dirname(realpathSync(command)));
  const folders = [
    ['/usr/lib/jvm', '.'],
    ['/opt', '.'],
    [join(home, '.sdkman/candidates/java'), '.'],
    ['/Library/Java/JavaVirtualMachines', 'Contents/Home'],
    [join(home, 'Library/Java/JavaVirtualMachines'), 'Contents/Home'],
    ['/opt/homebrew/opt', 'libexec/openjdk.jdk/Contents/Home'],
    ['/usr/local/opt', 'libexec/openjdk.jdk/Contents/Home'],
  ];
  for (const [folder, inside] of folders) {
    for (const name of list(folder)) {
      const candidate = join(folder, name, inside);
      if (existsSync(join(candidate, 'bin', 'java'))) yield candidate;
    }
  }
}

/** @param {string} folder */
function list(folder) {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/**
 * @param {string} home
 * @returns {Java | null}
 */
function describe(home) {
  const command = join(home, 'bin', 'java');
  const version = isFile(join(home, 'release')) ? versionInRelease(home) : versionSaidBy(command);
  return version ? { home, command, version, feature: featureOf(version) } : null;
}

/** @param {string} home */
function versionInRelease(home) {
  return /^JAVA_VERSION="([^"]+)"/m.exec(readFileSync(join(home, 'release'), 'utf8'))?.[1];
}

/** @param {string} command */
function versionSaidBy(command) {
  const { stderr } = spawnSync(command, ['-XshowSettings:properties', '-version'], { encoding: 'utf8' });
  return /java\.version = (\S+)/.exec(stderr ?? '')?.[1];
}

/**
 * @param {string} version '25.0.3', '21-ea', or '1.8.0_402' as it was before 9
 * @returns {number}
 */
export function featureOf(version) {
  const [first, second] = version.split(/[.\-_+]/);
  return Number(first === '1' ? second : first);
}
