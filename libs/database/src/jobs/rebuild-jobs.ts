import { createDatabase } from '../database.js';
import { databaseConfig } from '../database.config.js';
import { rebuildJobs } from './rebuild.js';

// The tool `node dist/jobs/rebuild-jobs.js [--dry-run]`: jobs as their histories have them.
const usage = `Usage: rebuild-jobs.js [--dry-run], with ANABRANCH_POSTGRES_URL set to postgres://user:password@host:port/name.
Folds all histories of jobs, and puts right what differs from them or is gone. With --dry-run it only says which jobs
those are, and ends with 1 when there are any.`;

async function rebuild(postgresUrl: string, isDryRun: boolean): Promise<void> {
  const db = await createDatabase(databaseConfig.parse({ postgresUrl }), { name: 'anabranch rebuild' });
  const { jobs, differing } = await rebuildJobs(db, { isDryRun }).finally(() => db.close());
  const what = isDryRun ? 'differ from their histories' : 'were put right';
  console.log(`Folded ${jobs} histories; ${differing.length} jobs ${what}.`);
  for (const jobId of differing) console.log(jobId);
  if (isDryRun && differing.length > 0) process.exitCode = 1;
}

async function run(args: string[]): Promise<void> {
  if (args.includes('--help')) return console.log(usage);
  const postgresUrl = process.env.ANABRANCH_POSTGRES_URL;
  // A slip in "--dry-run" must not write.
  if (postgresUrl && args.every((arg) => arg === '--dry-run')) return rebuild(postgresUrl, args.length > 0);
  console.error(usage);
  process.exitCode = postgresUrl ? 64 : 78;
}

await run(process.argv.slice(2));
