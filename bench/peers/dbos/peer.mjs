// DBOS on the Postgres that our own stack starts, with fsync.
import { DBOSClient } from '@dbos-inc/dbos-sdk';
import pg from 'pg';
import { postgres } from '../../../tools/stack/infra/postgres.mjs';
import { startProcesses } from '../../consumer/stack.mjs';
import { textOf } from '../../platform/documents.mjs';
import { versionOf } from '../install.mjs';
import { sleep } from '../world.mjs';

export const about = {
  version: versionOf('@dbos-inc/dbos-sdk'),
  durability: 'class B: Postgres with fsync and synchronous_commit',
};

export const requireParts = () => {};

const name = 'bench';
const fillingAtOnce = 16;
const pollMs = 100;
const settledOnes = `SELECT count(*) AS settled, max(updated_at) AS at FROM dbos.workflow_status
  WHERE workflow_uuid LIKE $1 AND status = 'SUCCESS'`;

async function fill(client, run, numbers) {
  const left = [...numbers];
  const enqueue = async () => {
    for (let number = left.shift(); number !== undefined; number = left.shift()) {
      const options = { workflowName: 'document', queueName: 'documents', workflowID: `${run}-${number}` };
      await client.enqueue(options, textOf(run, number));
    }
  };
  await Promise.all(Array.from({ length: fillingAtOnce }, enqueue));
}

export async function open() {
  let urls;
  const describe = (context) => [(urls = postgres(context)).process];
  const { processes, stop } = await startProcesses(describe, { throwAway: false });
  const watcher = new pg.Client({ connectionString: urls.url });
  await watcher.connect();
  const client = await DBOSClient.create({
    systemDatabaseUrl: urls.url,
    systemDatabasePoolSize: fillingAtOnce,
    applicationName: name,
  });
  let worker;
  return {
    processes,
    worker: {
      program: new URL('worker.mjs', import.meta.url).href,
      options: { name, url: urls.url },
      onReady: async (child) => void (worker = child),
    },
    fill: (run, numbers) => fill(client, run, numbers),
    // Started where it runs: a queue is polled once in a while.
    call: (run, number) => worker.call('run', { id: `${run}-${number}`, text: textOf(run, number) }),
    async whenSettled(run, numbers) {
      for (;;) {
        const { rows } = await watcher.query(settledOnes, [`${run}-%`]);
        if (Number(rows[0].settled) >= numbers.length) return Number(rows[0].at);
        await sleep(pollMs);
      }
    },
    results: async (run) =>
      (await client.listWorkflows({ workflow_id_prefix: `${run}-`, status: 'SUCCESS', limit: 100_000 })).map(
        ({ output }) => output,
      ),
    async close() {
      await Promise.all([client.destroy(), watcher.end()]);
      await stop();
    },
  };
}
