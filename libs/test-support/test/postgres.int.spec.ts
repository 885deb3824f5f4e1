import { expect, test } from '@jest/globals';
import { createDatabase, databaseConfig } from '@anabranch/database';
import { createTestDatabase } from '../src/postgres.js';

test('a test database is migrated, belongs to one spec, and is gone afterwards, open connections or not', async () => {
  const [one, other] = await Promise.all([createTestDatabase(), createTestDatabase()]);
  expect(one.url).not.toBe(other.url);
  const database = await createDatabase(databaseConfig.parse({ postgresUrl: one.url }), { name: 'spec' });
  await database.check();
  await Promise.all([one.drop(), other.drop()]);
  await expect(database.check()).rejects.toThrow(/postgres|connection|database/i);
  await database.close();
});
