// What the services find when they start: tables, schemas, topics, the catalogue, a development tenant with a key.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { readJson, writeJson } from './files.mjs';
import { serviceEnvironment, serviceNode } from './services.mjs';
import { runQuietly } from './setup/run-quietly.mjs';

const tenant = 'dev';

/**
 * Every step may be repeated. Both halves run side by side: the catalogue is all that the second writes to the database.
 * @param {import('./services.mjs').ServiceContext} context
 * @returns {Promise<{ tenant: string, apiKey: string }>}
 */
export async function provision(context) {
  const key = readOrMakeKey(context.paths.developmentKey);
  await run(context, 'The database could not be migrated', ['libs/database/dist/migrations/run.js']);
  const addKey = ['--tenant', key.tenant, '--name', 'development', '--key', key.apiKey];
  await Promise.all([
    run(context, 'Schemas and topics could not be applied', ['tools/contracts/apply.mjs']),
    run(context, 'The development API key could not be stored', [
      'libs/database/dist/access/create-api-key.js',
      ...addKey,
    ]),
  ]);
  return key;
}

/**
 * Kept, so that a key copied yesterday works today.
 * @param {string} file
 */
function readOrMakeKey(file) {
  const known = readJson(file);
  if (known) return known;
  const made = { tenant, apiKey: `anabranch_dev_${randomBytes(24).toString('base64url')}` };
  writeJson(file, made);
  return made;
}

/**
 * @param {import('./services.mjs').ServiceContext} context
 * @param {string} what the failure in a few words
 * @param {string[]} command
 */
async function run(context, what, [script, ...args]) {
  const { root } = context.settings;
  await runQuietly(serviceNode(root), ['--enable-source-maps', join(root, script), ...args], {
    cwd: root,
    env: serviceEnvironment(context),
    what,
  });
}
