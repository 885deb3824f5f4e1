import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

export const repositoryRoot = resolve(import.meta.dirname, '../..');

/** A copy of what a simulation needs, to be changed at will; the other projects are read where they are. */
export function makeWorkCopy() {
  const folder = mkdtempSync(join(tmpdir(), 'anabranch-mutant-'));
  const project = join(folder, 'libs/kafka');
  mkdirSync(project, { recursive: true });
  for (const part of ['package.json', 'src', 'test/simulation']) {
    cpSync(join(repositoryRoot, 'libs/kafka', part), join(project, part), { recursive: true });
  }
  symlinkSync(join(repositoryRoot, 'node_modules'), join(folder, 'node_modules'));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/**
 * What of a mutant does not fit the source as it is.
 * @param {import('./faults/edit.mjs').Mutant} mutant
 * @param {string} source the folder with libs/kafka's sources
 * @returns {string[]}
 */
export function patchFaults({ name, edits }, source) {
  return edits.flatMap(({ file, find, replace }) => {
    const count = readFileSync(join(source, file), 'utf8').split(find).length - 1;
    if (find === replace) return [`"${name}" changes nothing in ${file}`];
    return count === 1 ? [] : [`"${name}" no longer applies: ${file} has its text ${count} times`];
  });
}

/**
 * Applies a mutant; the returned function takes it back.
 * @param {import('./faults/edit.mjs').Mutant} mutant
 * @param {string} source
 */
export function applyMutant({ edits }, source) {
  const files = [...new Set(edits.map(({ file }) => join(source, file)))];
  const originals = files.map((path) => /** @type {const} */ ([path, readFileSync(path, 'utf8')]));
  for (const { file, find, replace } of edits) {
    const path = join(source, file);
    writeFileSync(
      path,
      readFileSync(path, 'utf8').replace(find, () => replace),
    );
  }
  return () => {
    for (const [path, text] of originals) writeFileSync(path, text);
  };
}
