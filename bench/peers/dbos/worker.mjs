// One process whose queue starts a workflow for each document; its five analyses are steps at the same time.
import { DBOS } from '@dbos-inc/dbos-sdk';
import { analyses, createModel, join, serve } from '../job.mjs';

const { slow, name, url, concurrency } = JSON.parse(process.argv[2]);
const model = createModel(slow);

async function analyse(text) {
  const documentId = DBOS.workflowID;
  const steps = analyses.map((step) => DBOS.runStep(() => model.ask(step, { documentId, text }), { name: step }));
  return join(documentId, await Promise.all(steps));
}

const document = DBOS.registerWorkflow(analyse, { name: 'document' });

async function start() {
  DBOS.setConfig({
    name,
    systemDatabaseUrl: url,
    systemDatabasePoolSize: 40,
    // Killed and started again, it goes on with its own work.
    executorID: 'bench',
    applicationVersion: 'bench',
    logLevel: 'error',
  });
  await DBOS.launch();
  await DBOS.registerQueue('documents', { workerConcurrency: concurrency, minPollingIntervalMs: 100 });
}

async function run({ id, text }) {
  const handle = await DBOS.startWorkflow(document, { workflowID: id })(text);
  await handle.getResult();
}

serve({ model, start, commands: { run } });
