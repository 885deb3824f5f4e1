import { Controller, Get, Inject, Param, Req, UseGuards } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { RequireScope, ScopeGuard } from '../access/scope.guard.js';
import { ApiJobId, tenantOf } from '../jobs/jobs.controller.js';
import { ApiProblems } from '../openapi/api-problems.js';
import { explainJobToken } from '../ports.js';
import type { ExplainJob } from './explain-job.js';
import { whySchema } from './why-schema.js';

/** One answer to "where is it, and why". */
@ApiTags('jobs')
@Controller('v1/jobs')
@UseGuards(ScopeGuard)
export class WhyController {
  constructor(@Inject(explainJobToken) private readonly explain: ExplainJob) {}

  @Get(':id/why')
  @RequireScope('documents:read')
  @ApiOperation({
    operationId: 'explainJob',
    summary: 'Why the job is as it is, and what each analysis waits for.',
    description: 'Looks at Postgres and, for runs without an outcome, at what was read of the document’s partition.',
  })
  @ApiJobId()
  @ApiResponse({ status: 200, description: 'The reasons, as of now.', standardSchema: whySchema })
  @ApiProblems(404)
  async why(@Param('id') id: string, @Req() request: FastifyRequest) {
    return this.explain(tenantOf(request, id), id);
  }
}
