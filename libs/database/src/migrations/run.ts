import { migrate } from './migrate.js';

// The tool `node dist/migrations/run.js`: what the set-up calls before any service starts.
const postgresUrl = process.env.ANABRANCH_POSTGRES_URL;
if (postgresUrl) {
  const ran = await migrate(postgresUrl);
  console.log(ran.length === 0 ? 'The database is up to date.' : `Ran ${ran.join(', ')}.`);
} else {
  console.error('Set ANABRANCH_POSTGRES_URL to the database, as postgres://user:password@host:port/name.');
  process.exitCode = 78;
}
