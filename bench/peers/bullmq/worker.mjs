// One process with a worker for the documents and one for each analysis' queue.
import { Worker } from 'bullmq';
import { analyses, createModel, join, serve } from '../job.mjs';

const { slow, connection, concurrency } = JSON.parse(process.argv[2]);
const model = createModel(slow);

async function start() {
  const options = { connection, concurrency };
  const workers = [
    ...analyses.map((name) => new Worker(name, ({ data }) => model.ask(name, data), options)),
    new Worker(
      'documents',
      async (job) => join(job.data.documentId, Object.values(await job.getChildrenValues())),
      options,
    ),
  ];
  for (const worker of workers) worker.on('error', (error) => console.error(`bullmq: ${error.message}`));
  await Promise.all(workers.map((worker) => worker.waitUntilReady()));
}

serve({ model, start });
