import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Writes so that a reader sees the old or the new text, never a half of one. Private: these files hold keys.
 * @param {string} path
 * @param {string} text
 */
export function writeFileAtomically(path, text) {
  mkdirSync(dirname(path), { recursive: true });
  const draft = `${path}.${process.pid}.draft`;
  writeFileSync(draft, text, { mode: 0o600 });
  renameSync(draft, path);
}

/**
 * @param {string} path
 * @param {unknown} value
 */
export function writeJson(path, value) {
  writeFileAtomically(path, `${JSON.stringify(value, null, 2)}\n`);
}

/**
 * @param {string} path
 * @returns {any} null when there is no such file, or no JSON in it (a crash may have cut it short)
 */
export function readJson(path) {
  const text = readIfThere(path);
  try {
    return text === null ? null : JSON.parse(text);
  } catch {
    return null;
  }
}

/** @param {string} path */
function readIfThere(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return null;
    throw error;
  }
}

/** @param {string} path */
export function removeFile(path) {
  rmSync(path, { force: true });
}

/** @param {string} path */
export function isFile(path) {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

/** @param {string} path */
export function isFolder(path) {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/**
 * The system's name for what went wrong: 'ENOENT', 'EEXIST' …
 * @param {unknown} error
 * @returns {string | undefined}
 */
export function errorCode(error) {
  return /** @type {{ code?: string } | undefined} */ (error)?.code;
}
