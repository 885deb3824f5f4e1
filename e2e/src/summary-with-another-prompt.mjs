// The summary service as the next deployment may have it: a newer prompt, before those that there were.
import { analysisService, runServices } from '../../libs/analysis-runtime/dist/index.js';
import { summary } from '../../services/summary/dist/summary.analysis.js';

const { prompts } = /** @type {NonNullable<typeof summary.languageModel>} */ (summary.languageModel);
const [newest] = prompts;

/** @type {typeof newest} */
const another = {
  version: 'another',
  *answer(document, context) {
    const steps = newest.answer(document, context);
    let answers = /** @type {readonly unknown[]} */ ([]);
    for (;;) {
      const step = steps.next(answers);
      if (step.done) return step.value;
      answers = yield (step.value ?? []).map((question) => ({
        ...question,
        instructions: `${question.instructions} In other words.`,
      }));
    }
  },
};

await runServices([analysisService({ ...summary, languageModel: { prompts: [another, ...prompts] } })]);
