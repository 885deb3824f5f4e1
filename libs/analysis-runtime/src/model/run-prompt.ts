import { takeTurn } from '../turns.js';
import { askQuestion, type Asking } from './ask-question.js';
import type { ModelSteps, Question } from './model-prompt.js';

/** Calls of one document that are made side by side: a long one must not take all that a provider allows. */
const maxSideBySide = 4;
/** How long steps may compute before they give way, in milliseconds. */
const sliceMs = 10;

/**
 * Asks questions, some at a time, and returns what was read in their order. After a failure no further one is asked; those
 * under way are waited for, because they are paid for and their answers are kept.
 * @throws the first failure
 */
async function askSideBySide(asking: Asking, questions: readonly Question[], round: number): Promise<unknown[]> {
  const answers: unknown[] = [];
  const failures: unknown[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < questions.length && failures.length === 0) {
      const index = next;
      next += 1;
      const question = questions[index];
      if (question === undefined) return;
      try {
        answers[index] = await askQuestion(asking, question, `${round}.${index + 1}`);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(maxSideBySide, questions.length) }, work));
  if (failures.length > 0) throw failures[0];
  return answers;
}

/**
 * Takes a prompt's steps to their end: asks what they ask, and gives way to other documents in between.
 * @throws what `askQuestion` throws; what the steps throw; the signal's reason
 */
export async function runPrompt<T>(steps: ModelSteps<T>, asking: Asking): Promise<T> {
  const { signal } = asking.options;
  let answers: readonly unknown[] = [];
  let round = 0;
  let sliceEnd = 0;
  for (;;) {
    if (performance.now() >= sliceEnd) {
      await takeTurn(signal);
      sliceEnd = performance.now() + sliceMs;
    }
    const step = steps.next(answers);
    if (step.done === true) return step.value;
    const questions = step.value ?? [];
    answers = [];
    if (questions.length === 0) continue;
    round += 1;
    answers = await askSideBySide(asking, questions, round);
    sliceEnd = 0;
  }
}
