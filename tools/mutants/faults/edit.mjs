/**
 * @typedef {object} Edit
 * @property {string} file below libs/kafka/src
 * @property {string} find must occur exactly once
 * @property {string} replace
 *
 * @typedef {object} Mutant
 * @property {string} name
 * @property {readonly Edit[]} edits
 */

/**
 * One change of a few words.
 * @param {string} file without its suffix, in `consumer/` unless it names another folder
 * @param {string} find
 * @param {string} replace
 * @returns {Edit}
 */
export function edit(file, find, replace) {
  return { file: `${file.includes('/') ? file : `consumer/${file}`}.ts`, find, replace };
}
