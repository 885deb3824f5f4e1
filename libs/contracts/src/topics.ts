import { topics, type AnalysisTopic, type RequestTopic } from './generated/topics.generated.js';
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

/**
 * The topic of the commands to an analysis.
 * @throws Error when no schema folder exists for it
 */
export function requestTopic(name: string): RequestTopic {
  const topic = Object.values(topics).find(({ requests }) => requests === name);
  if (topic === undefined) {
    throw new Error(`No commands for the analysis "${name}": add schemas/analysis.${name}.requested and generate.`);
  }
  return topic.name as RequestTopic;
}
