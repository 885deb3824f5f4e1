import { StandardSchemaValidationPipe } from '@nestjs/common';
import type { z } from 'zod';
import { invalidRequest } from './validate.js';

/** Checks a query against the schema in its decorator; a fault is the problem INVALID_REQUEST. All our schemas are zod's. */
export const queryPipe = new StandardSchemaValidationPipe({
  exceptionFactory: (issues) => invalidRequest(issues as readonly z.core.$ZodIssue[], 'query'),
});
