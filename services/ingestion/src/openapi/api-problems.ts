import { applyDecorators } from '@nestjs/common';
import { ApiBearerAuth, ApiResponse } from '@nestjs/swagger';
import { z } from 'zod';
import { problems, type ProblemCode } from '../http/problem.js';

export const problemSchema = z
  .looseObject({
    type: z.string().meta({ description: 'URN of the kind of problem.' }),
    title: z.string(),
    status: z.int(),
    detail: z.string().meta({ description: 'What to do about it.' }),
    instance: z.string().meta({ description: 'Path of the request.' }),
    code: z.enum(Object.keys(problems) as [ProblemCode, ...ProblemCode[]]),
  })
  .meta({ description: 'RFC 9457' });

// What any route of the API may answer.
const everywhere = [401, 403, 500, 503];

/** Documents a route's errors: those named, and those that every route has. */
export function ApiProblems(...statuses: number[]): MethodDecorator {
  const all = [...new Set([...statuses, ...everywhere])].sort((a, b) => a - b);
  return applyDecorators(ApiBearerAuth(), ...all.map(ApiProblem));
}

function ApiProblem(status: number): MethodDecorator {
  const schema = { $ref: '#/components/schemas/Problem' };
  return ApiResponse({
    status,
    description: descriptionOf(status),
    content: { 'application/problem+json': { schema } },
  });
}

function descriptionOf(status: number): string {
  const codes = Object.entries(problems).filter(([, problem]) => problem.status === status);
  return codes.map(([code, { title }]) => `${code}: ${title}.`).join(' ');
}
