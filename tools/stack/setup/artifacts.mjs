// Kafka and the schema registry, fetched once per user by Maven, which knows the user's mirrors and proxies.
import { mkdirSync, mkdtempSync, renameSync, rmSync, existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { StackFault } from '../fault.mjs';
import { isWritable } from '../settings.mjs';
import { runQuietly } from './run-quietly.mjs';

const kafka = {
  folder: 'kafka-4.4.0',
  title: 'Apache Kafka 4.4.0 (40 MB)',
  proof: 'kafka_2.13-4.4.0.jar',
  pom: 'kafka.pom.xml',
  goal: ['dependency:copy-dependencies', '-DincludeScope=runtime'],
};
const registry = {
  folder: 'apicurio-registry-3.3.3',
  title: 'Apicurio Registry 3.3.3 (160 MB)',
  proof: 'quarkus-run.jar',
  pom: 'registry.pom.xml',
  goal: ['dependency:unpack'],
};

/** @param {string} cacheDir */
export function artifactFolders(cacheDir) {
  return { kafka: join(cacheDir, kafka.folder), registry: join(cacheDir, registry.folder) };
}

/** @param {string} cacheDir */
export function areArtifactsCached(cacheDir) {
  return [kafka, registry].every((artifact) => isCached(cacheDir, artifact));
}

/**
 * @param {string} cacheDir
 * @param {{ say: (line: string) => void, env: NodeJS.ProcessEnv }} options
 */
export async function ensureArtifacts(cacheDir, { say, env }) {
  for (const artifact of [kafka, registry].filter((one) => !isCached(cacheDir, one))) {
    say(`fetching ${artifact.title} …`);
    await fetchArtifact(cacheDir, artifact, env);
  }
}

/**
 * A folder gets its name when it is whole, so what has the name is whole.
 * @param {string} cacheDir
 * @param {{ folder: string }} artifact
 */
function isCached(cacheDir, { folder }) {
  return existsSync(join(cacheDir, folder));
}

/**
 * @param {string} cacheDir
 * @param {typeof kafka} artifact
 * @param {NodeJS.ProcessEnv} env
 */
async function fetchArtifact(cacheDir, artifact, env) {
  mkdirSync(cacheDir, { recursive: true });
  const draft = mkdtempSync(join(cacheDir, `${artifact.folder}.draft-`));
  try {
    const pom = fileURLToPath(new URL(artifact.pom, import.meta.url));
    // The goal's own output folder, whichever of the two goals it is.
    const output = [`-DoutputDirectory=${draft}`, `-Danabranch.output=${draft}`];
    const args = ['-B', '-q', ...ownRepository(cacheDir, env), '-f', pom, ...artifact.goal, ...output];
    await runQuietly('mvn', args, { env, cwd: draft, what: `mvn could not fetch ${artifact.title}` });
    if (!existsSync(join(draft, artifact.proof))) {
      throw new StackFault(
        `Maven fetched ${artifact.title}, but ${artifact.proof} is not in it. Run: mvn ${args.join(' ')}`,
      );
    }
    publish(draft, join(cacheDir, artifact.folder));
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/**
 * @param {string} draft
 * @param {string} folder
 */
function publish(draft, folder) {
  try {
    renameSync(draft, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error; // Otherwise somebody else was faster, with the same content.
  }
}

/**
 * Maven's usual repository lies in the home folder; without a home to write to it needs another one.
 * @param {string} cacheDir
 * @param {NodeJS.ProcessEnv} env
 */
function ownRepository(cacheDir, env) {
  const home = join(env.HOME || homedir(), '.m2');
  return isWritable(home) ? [] : [`-Dmaven.repo.local=${join(cacheDir, 'maven')}`];
}
