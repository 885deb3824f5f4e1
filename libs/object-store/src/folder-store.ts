// The object store in a local folder. Invariant: a file appears under its key only whole and fsynced, and never changes.
import { createHash, randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { access, link, mkdir, open, readFile, stat, unlink } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import type { ContentRef } from '@anabranch/contracts';
import { DependencyUnavailable, PoisonMessage } from '@anabranch/failures';
import { belongsTo, isObjectKey } from './object-key.js';
import type { ObjectStore } from './object-store.js';

// Its name starts with a dot, so no key can reach it; inside the folder, so that link() stays on one file system.
const stagingFolder = '.staging';
const isAbsent = new Set(['ENOENT', 'ENOTDIR', 'EISDIR', 'ELOOP']);

/** An `ObjectStore` in the folder, which is made when it does not exist. */
export function createFolderStore(folder: string): ObjectStore {
  const root = resolve(folder);
  return {
    put: (key, bytes) => guarded(() => put(root, key, bytes)),
    get: (ref, tenantId) => guarded(() => get(root, ref, tenantId)),
    has: (key) => guarded(() => has(root, key)),
    remove: (key) => guarded(() => remove(root, key)),
    check: () => guarded(() => check(root)),
  };
}

/** Node's own I/O errors (they carry `syscall`) mean that the store is down; all others pass as they are. */
async function guarded<T>(action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    if (!isIoError(error)) throw error;
    const message = `The object store's folder cannot be used (${error.code}); check the disk and its permissions.`;
    throw new DependencyUnavailable('object-store', message, { cause: error });
  }
}

async function put(root: string, key: string, bytes: Uint8Array): Promise<ContentRef> {
  const path = pathOf(root, key);
  const ref = { key, sha256: sha256(bytes), bytes: bytes.byteLength };
  const staged = await stage(root, bytes);
  try {
    await mkdir(dirname(path), { recursive: true });
    await linkOnce(staged, path, ref);
  } finally {
    await unlink(staged);
  }
  await syncFolders(root, dirname(path));
  return ref;
}

async function stage(root: string, bytes: Uint8Array): Promise<string> {
  const folder = join(root, stagingFolder);
  await mkdir(folder, { recursive: true });
  const path = join(folder, randomUUID());
  const file = await open(path, 'wx', 0o640);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } catch (error) {
    await file.close();
    await unlink(path);
    throw error;
  }
  await file.close();
  return path;
}

/** link(), unlike rename(), never replaces: of two writers of one key the first wins, and the second compares. */
async function linkOnce(staged: string, path: string, ref: ContentRef): Promise<void> {
  try {
    await link(staged, path);
  } catch (error) {
    if (!isIoError(error) || error.code !== 'EEXIST') throw error;
    if (sha256(await readFile(path)) !== ref.sha256) {
      throw new Error(`The object ${ref.key} exists with other content; a key is written once.`, { cause: error });
    }
  }
}

/**
 * Every folder up to the root, also those that were there before: another writer may have made one a moment ago and not
 * have synced its parent yet, and then a power cut would take this object as well.
 */
async function syncFolders(root: string, folder: string): Promise<void> {
  const levels = relative(root, folder).split(sep);
  for (let depth = levels.length; depth >= 0; depth -= 1) {
    const handle = await open(join(root, ...levels.slice(0, depth)), 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  }
}

async function get(root: string, ref: ContentRef, tenantId: string): Promise<Buffer> {
  if (!belongsTo(ref.key, tenantId)) {
    throw new PoisonMessage('CONTENT_MISSING', 'The claim check names no object of its tenant.');
  }
  const bytes = await read(root, ref);
  if (sha256(bytes) !== ref.sha256) {
    throw new PoisonMessage('CONTENT_MISMATCH', `The object ${ref.key} differs from the claim check's SHA-256.`);
  }
  return bytes;
}

/** Compares the length before it reads, so that a wrong file costs no memory. */
async function read(root: string, ref: ContentRef): Promise<Buffer> {
  const path = pathOf(root, ref.key);
  const file = await openOrMissing(root, path, ref.key);
  try {
    const stats = await file.stat();
    if (!stats.isFile()) throw new PoisonMessage('CONTENT_MISSING', `There is no object ${ref.key}.`);
    if (stats.size !== ref.bytes) {
      throw new PoisonMessage('CONTENT_MISMATCH', `The object ${ref.key} differs from the claim check's length.`);
    }
    return await file.readFile();
  } finally {
    await file.close();
  }
}

async function openOrMissing(root: string, path: string, key: string) {
  try {
    return await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch (error) {
    if (!isIoError(error) || !isAbsent.has(error.code)) throw error;
    await assertFolder(root);
    throw new PoisonMessage('CONTENT_MISSING', `There is no object ${key}.`, { cause: error });
  }
}

async function has(root: string, key: string): Promise<boolean> {
  if (!isObjectKey(key)) return false;
  try {
    return (await stat(pathOf(root, key))).isFile();
  } catch (error) {
    if (!isIoError(error) || !isAbsent.has(error.code)) throw error;
    await assertFolder(root);
    return false;
  }
}

/** A store whose whole folder is gone, such as an unmounted disk, is down; then no message is to blame. */
async function assertFolder(root: string): Promise<void> {
  if (!(await stat(root)).isDirectory()) {
    throw new DependencyUnavailable('object-store', 'The object store’s folder is not a folder; check its setting.');
  }
}

async function remove(root: string, key: string): Promise<void> {
  try {
    await unlink(pathOf(root, key));
  } catch (error) {
    if (!isIoError(error) || !isAbsent.has(error.code)) throw error;
  }
}

async function check(root: string): Promise<void> {
  await mkdir(join(root, stagingFolder), { recursive: true });
  await access(root, constants.R_OK | constants.W_OK | constants.X_OK);
}

function pathOf(root: string, key: string): string {
  if (!isObjectKey(key)) throw new Error('Not an object key: tenantId/… of letters, digits, ".", "_" and "-".');
  return join(root, ...key.split('/'));
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function isIoError(error: unknown): error is NodeJS.ErrnoException & { code: string } {
  if (typeof error !== 'object' || error === null) return false;
  return 'syscall' in error && 'code' in error && typeof error.code === 'string';
}
