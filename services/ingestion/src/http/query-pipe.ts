import { StandardSchemaValidationPipe, type ArgumentMetadata, type PipeTransform } from '@nestjs/common';
import type { z } from 'zod';
import { invalidRequest } from './validate.js';

const bySchema = new StandardSchemaValidationPipe({
  exceptionFactory: (issues) => invalidRequest(issues as readonly z.core.$ZodIssue[], 'query'),
});

/** Checks a query against the schema in its decorator; a fault is the problem INVALID_REQUEST. All our schemas are zod's. */
export const queryPipe: PipeTransform = {
  transform: (query: Record<string, unknown>, metadata: ArgumentMetadata) => {
    assertOnce(query);
    return bySchema.transform(query, metadata);
  },
};

/** Which of two values counts is nobody's guess; none of these parameters is a list. */
function assertOnce(query: Record<string, unknown>): void {
  const twice = Object.keys(query).filter((name) => Array.isArray(query[name]));
  const message = 'is given more than once; give it once';
  const issues = twice.map((name) => ({ code: 'custom' as const, path: [name], message, input: undefined }));
  if (issues.length > 0) throw invalidRequest(issues, 'query');
}
