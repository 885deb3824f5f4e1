import { describe } from '@jest/globals';
import type { AnalysisFinishedInput, DocumentIngestedInput } from '@anabranch/contracts';
import { createReplayingModel, replyOf } from '@anabranch/language-model/testing';
import type { AnyAnalysis } from '../define-analysis.js';
import { describeHostileReplies } from './describe-hostile-replies.js';
import { describeModelFaults } from './describe-model-faults.js';
import { describeModelResults } from './describe-model-results.js';
import { createHarness } from './harness.js';
import { createMemoryModelCalls } from './memory-model-calls.js';
import { emptyStore, type ModelFixtures } from './model-subject.js';

/** The promises that every analysis keeps which asks a language model, whatever it asks. One suite for all of them. */
export function describeModelAnalysis(definition: AnyAnalysis, fixtures: ModelFixtures): void {
  describe(`${definition.name}: the contract of all analyses that ask a model`, () => {
    describeModelResults(definition, fixtures);
    describeModelFaults(definition, fixtures);
    describeHostileReplies(definition, fixtures);
  });
}

/** A document, and what a model says about it: one value per question, in order. */
export interface Said {
  document: Partial<DocumentIngestedInput>;
  values: readonly object[];
  /** Most characters of one question, in UTF-16 units. */
  chunkCharacters?: number;
}

/** The one outcome of a document. */
export async function outcomeWith(definition: AnyAnalysis, said: Said): Promise<AnalysisFinishedInput> {
  const { document, values, chunkCharacters = 16_000 } = said;
  const model = createReplayingModel(values.map((value) => replyOf({ text: JSON.stringify(value) })));
  const calls = createMemoryModelCalls(model);
  return createHarness(definition, { store: emptyStore, model: { calls, chunkCharacters } }).outcomeOf(document);
}
