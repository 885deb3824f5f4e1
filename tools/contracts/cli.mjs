import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkRepository, checkSources, staleFaults } from './check.mjs';
import { writeGenerated } from './generate.mjs';
import { addReleases, changedFaults, readReleased } from './released.mjs';
import { readSources } from './sources.mjs';

const repository = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

/** Each command returns the lines to print, or throws a `Faults`. */
const commands = {
  generate(root) {
    const { topics } = soundSources(root);
    const written = writeGenerated(root, topics);
    return written.length > 0 ? written.map((path) => `wrote ${path}`) : ['generated files are current'];
  },

  check(root) {
    const { faults, seen } = checkRepository(root);
    if (faults.length > 0) throw new Faults(faults);
    return [
      `contracts are sound: ${seen.topics} topics, ${seen.versions} schemas, ${seen.pairs} pairs of versions compared`,
    ];
  },

  release(root) {
    const { topics } = soundSources(root);
    const file = join(root, 'schemas', 'released.json');
    const faults = [...changedFaults(topics, readReleased(file) ?? {}), ...staleFaults(root, topics)];
    if (faults.length > 0) throw new Faults(faults);
    const added = addReleases(file, topics);
    return added.length > 0 ? added.map((version) => `released ${version}`) : ['every version was released before'];
  },
};

class Faults extends Error {
  constructor(faults) {
    super(faults.join('\n'));
    this.faults = faults;
  }
}

function soundSources(root) {
  const sources = readSources(join(root, 'schemas'));
  const { faults } = checkSources(sources);
  if (faults.length > 0) throw new Faults(faults);
  return sources;
}

function main([name, root = repository]) {
  const command = Object.hasOwn(commands, name ?? '') ? commands[name] : undefined;
  if (command === undefined) {
    console.error(
      `usage: node ${relative(process.cwd(), process.argv[1])} ${Object.keys(commands).join('|')} [repository]`,
    );
    return 2;
  }
  try {
    for (const line of command(root)) console.log(line);
    return 0;
  } catch (error) {
    if (!(error instanceof Faults)) throw error;
    for (const fault of error.faults) console.error(fault);
    console.error(`${error.faults.length} ${error.faults.length === 1 ? 'fault' : 'faults'}`);
    return 1;
  }
}

process.exitCode = main(process.argv.slice(2));
