import { createDatabase } from '../database.js';
import { databaseConfig } from '../database.config.js';
import { rebuildJobs } from './rebuild.js';

// The tool `node dist/jobs/rebuild-jobs.js [--dry-run]`: jobs as their histories have them.
const postgresUrl = process.env.ANABRANCH_POSTGRES_URL;
if (postgresUrl) {
  const isDryRun = process.argv.includes('--dry-run');
  const db = await createDatabase(databaseConfig.parse({ postgresUrl }), { name: 'anabranch rebuild' });
  const { jobs, differing } = await rebuildJobs(db, { isDryRun }).finally(() => db.close());
  const what = isDryRun ? 'differ from their histories' : 'were put right';
  console.log(`Folded ${jobs} histories; ${differing.length} jobs ${what}.`);
  for (const jobId of differing) console.log(jobId);
  if (isDryRun && differing.length > 0) process.exitCode = 1;
} else {
  console.error('Set ANABRANCH_POSTGRES_URL to the database, as postgres://user:password@host:port/name.');
  process.exitCode = 78;
}
