import { parseArgs } from 'node:util';
import { createDatabase } from '../database.js';
import { databaseConfig } from '../database.config.js';
import { createApiKey } from './access.js';

// The tool `node dist/access/create-api-key.js --tenant ID --name NAME [--key KEY]`: prints the key as JSON.
const usage = 'Usage: create-api-key.js --tenant ID --name NAME [--key KEY], with ANABRANCH_POSTGRES_URL set.';

async function run(): Promise<void> {
  const options = { tenant: { type: 'string' }, name: { type: 'string' }, key: { type: 'string' } } as const;
  const { tenant, name, key } = parseArgs({ options }).values;
  const postgresUrl = process.env.ANABRANCH_POSTGRES_URL;
  if (!tenant || !name || !postgresUrl) {
    console.error(usage);
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
