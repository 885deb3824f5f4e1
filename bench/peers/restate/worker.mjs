// One process that Restate calls: a workflow for each document, whose five analyses are journaled steps at the same time.
import * as restate from '@restatedev/restate-sdk';
import { analyses, createModel, join, serve } from '../job.mjs';

const { slow, port } = JSON.parse(process.argv[2]);
const model = createModel(slow);

const document = restate.workflow({
  name: 'document',
  handlers: {
    run: async (ctx, text) => {
      const work = { documentId: ctx.key, text };
      const steps = analyses.map((name) => ctx.run(name, () => model.ask(name, work)));
      return join(ctx.key, await restate.RestatePromise.all(steps));
    },
  },
});

const start = () => restate.serve({ services: [document], port, logger: () => {} });

serve({ model, start });
