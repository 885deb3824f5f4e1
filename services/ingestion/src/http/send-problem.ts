import type { FastifyReply } from 'fastify';
import type { Problem } from './problem.js';

/** Answers with the problem; `path` is the request's, without its query. */
export function sendProblem(reply: FastifyReply, problem: Problem, path: string): void {
  for (const [name, value] of Object.entries(problem.options.headers ?? {})) reply.header(name, value);
  reply
    .code(problem.status)
    .header('content-type', 'application/problem+json; charset=utf-8')
    .send(JSON.stringify(problem.toBody(path)));
}
