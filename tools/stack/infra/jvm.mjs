// What Kafka and the registry have in common: two small, quickly started Java programs.
import { mkdirSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isFile, removeFile } from '../files.mjs';
import { spawnGuarded } from '../run/spawn.mjs';

/** Services drain first when the launcher itself is killed; PostgreSQL waits one second more. */
const orphanDelaySeconds = 3;

/**
 * @param {object} program
 * @param {import('../setup/java.mjs').Java} program.java
 * @param {string} program.folder the program's own folder in the cache; holds the archive of loaded classes
 * @param {string} program.workFolder in the state folder
 * @param {number} program.heapMegabytes
 * @param {string[]} program.args system properties and main class, or `-jar`
 * @param {string} program.cwd
 * @param {NodeJS.ProcessEnv} program.env
 */
export function spawnJava({ java, folder, workFolder, heapMegabytes, args, cwd, env }) {
  const archive = classArchive({ java, folder, workFolder });
  const child = spawnGuarded({
    command: java.command,
    args: [...machineOptions(java, heapMegabytes), ...archive.options, ...args],
    stopSignal: 'SIGTERM',
    delaySeconds: orphanDelaySeconds,
    options: { cwd, env: { ...env, JAVA_HOME: java.home } },
  });
  child.once('exit', archive.keep);
  return child;
}

/**
 * C1 only and the serial collector: start-up and memory count here, not throughput.
 * @param {import('../setup/java.mjs').Java} java
 * @param {number} heapMegabytes
 */
function machineOptions({ feature }, heapMegabytes) {
  return [
    '-Djava.net.preferIPv4Stack=true',
    '-Xms64m',
    `-Xmx${heapMegabytes}m`,
    '-XX:+UseSerialGC',
    '-XX:TieredStopAtLevel=1',
    '-XX:+ExitOnOutOfMemoryError',
    '-Xlog:cds=off',
    '-Xlog:cds+dynamic=off',
    ...(feature >= 24 ? ['--sun-misc-unsafe-memory-access=allow', '--enable-native-access=ALL-UNNAMED'] : []),
  ];
}

/**
 * Class data sharing halves the start-up. The first run of a Java version writes the archive when it ends, under a name
 * of its own: several stacks may share the cache, and a half-written archive must never be read.
 * @param {{ java: import('../setup/java.mjs').Java, folder: string, workFolder: string }} place
 */
function classArchive({ java, folder, workFolder }) {
  const archive = join(folder, `classes-${java.version}.jsa`);
  if (isFile(archive)) return { options: [`-XX:SharedArchiveFile=${archive}`], keep: () => {} };
  const draft = join(workFolder, 'classes.jsa');
  mkdirSync(dirname(draft), { recursive: true });
  removeFile(draft);
  return {
    options: [`-XX:ArchiveClassesAtExit=${draft}`],
    keep: (/** @type {number | null} */ code) => keepArchive(draft, archive, code),
  };
}

/**
 * @param {string} draft
 * @param {string} archive
 * @param {number | null} code
 */
function keepArchive(draft, archive, code) {
  const endedByItself = code === 0 || code === 143; // Java's exit code after SIGTERM
  if (!endedByItself || !isFile(draft)) return;
  try {
    renameSync(draft, archive);
  } catch {
    removeFile(draft); // On another file system, or a cache that cannot be written to: the next start is slower, no more.
  }
}
