import { topics, type AnalysisTopic } from './generated/topics.generated.js';
import type { TopicDefinition } from './topic-definition.js';

/** The topics of results, one per analysis. Code that must not name an analysis iterates over these. */
export const analysisTopics: readonly TopicDefinition[] = Object.values(topics).filter(
  ({ analysis }) => analysis !== null,
);

/**
 * The topic of an analysis' outcomes.
 * @throws Error when no schema folder exists for it: a mistake of the programmer, not of a message
 */
export function analysisTopic(name: string): AnalysisTopic {
  const topic = analysisTopics.find(({ analysis }) => analysis === name);
  if (topic === undefined) {
    throw new Error(`No topic for the analysis "${name}": add schemas/analysis.${name}.finished and generate.`);
  }
  return topic.name as AnalysisTopic;
}
