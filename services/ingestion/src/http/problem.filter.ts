import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { Logger } from '@anabranch/service-host';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { problemOf } from './problem-of.js';
import { sendProblem } from './send-problem.js';
import { pathOf, routeOf } from './request.js';
import type { RouteTable } from './routes.js';

interface ProblemFilterOptions {
  routes: RouteTable;
  maxBytes: number;
  log: Logger;
}

/** The one place where errors become responses: `application/problem+json`, whoever threw them. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(private readonly options: ProblemFilterOptions) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    const path = pathOf(request);
    const { routes, maxBytes, log } = this.options;
    const takesDocuments = routeOf(request).startsWith('/v1/documents');
    const problem = problemOf(error, { methods: routes.methodsOf(path), takesDocuments, maxBytes });
    if (problem.status >= 500) {
      // What is down or full is said by health and metrics; only a fault of our own needs somebody's look at each request.
      const level = problem.status === 503 ? 'warn' : 'error';
      log[level](
        { err: problem.options.cause ?? error, requestId: request.id, code: problem.code },
        'a request failed',
      );
    }
    sendProblem(reply, problem, path);
  }
}
