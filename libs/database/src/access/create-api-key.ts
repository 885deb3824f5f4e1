import { parseArgs } from 'node:util';
import { createDatabase } from '../database.js';
import { databaseConfig } from '../database.config.js';
import { createApiKey } from './access.js';

// The tool `node dist/access/create-api-key.js --tenant ID --name NAME [--key KEY]`: prints the key as JSON.
const usage = `Usage: create-api-key.js --tenant ID --name NAME [--key KEY], with ANABRANCH_POSTGRES_URL set.
Makes an API key with all scopes, and the tenant when there is none of this id. The key is printed, and stored as a hash.`;

const options = {
  tenant: { type: 'string' },
  name: { type: 'string' },
  key: { type: 'string' },
  help: { type: 'boolean' },
} as const;

function read(): Partial<Record<'tenant' | 'name' | 'key', string>> & { help?: boolean; fault?: string } {
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    return { fault: `${(error as Error).message}\n` };
  }
}

async function run(): Promise<void> {
  const { tenant, name, key, help, fault = '' } = read();
  if (help) return console.log(usage);
  const postgresUrl = process.env.ANABRANCH_POSTGRES_URL;
  if (!tenant || !name || !postgresUrl) {
    console.error(`${fault}${usage}`);
    process.exitCode = 64;
    return;
  }
  const db = await createDatabase(databaseConfig.parse({ postgresUrl }), { name: 'anabranch create-api-key' });
  try {
    console.log(JSON.stringify(await createApiKey(db, { tenantId: tenant, name, ...(key ? { key } : {}) })));
  } finally {
    await db.close();
  }
}

await run();
