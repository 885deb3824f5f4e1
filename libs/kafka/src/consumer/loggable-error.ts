import { describeFailure, isFailure } from '@anabranch/failures';

/** Errors of the language itself name properties and types, never values. */
const harmless = new Set(['TypeError', 'RangeError', 'ReferenceError']);

/**
 * What may be logged of an error. The message of one that is not ours may quote the document (that of `JSON.parse` does),
 * and so may the cause of any; where it was thrown says enough.
 */
export function loggableError(error: unknown): object {
  const { code, message } = describeFailure(error);
  if (isFailure(error) || !(error instanceof Error)) return { code, reason: message };
  const isHarmless = harmless.has(error.name) || error.name.startsWith('KafkaJS') || error.name === 'MissingTopic';
  const frames = error.stack?.split('\n').filter((line) => line.trimStart().startsWith('at ')) ?? [];
  return {
    code,
    errorType: error.name,
    reason: isHarmless ? error.message : message,
    stack: frames.map((line) => line.trim()),
  };
}
