import { Body, Controller, HttpCode, Inject, Param, Post, Req, UseGuards } from '@nestjs/common';
import { ApiConsumes, ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { RequireScope, ScopeGuard } from '../access/scope.guard.js';
import { readCommandBody } from '../http/command-body.js';
import { ApiProblems } from '../openapi/api-problems.js';
import { jobCommandsToken } from '../ports.js';
import type { JobCommands } from './job-commands.js';
import { jobJson, jobPath } from './job-json.js';
import { cancelBody, jobSchema, runBody, runSchema } from './job-schemas.js';
import { ApiJobId, tenantOf } from './jobs.controller.js';

/** What a client may ask of a job. */
@ApiTags('jobs')
@Controller('v1/jobs')
@UseGuards(ScopeGuard)
export class JobCommandsController {
  constructor(@Inject(jobCommandsToken) private readonly commands: JobCommands) {}

  @Post(':id/cancel')
  @HttpCode(200)
  @RequireScope('documents:write')
  @ApiOperation({
    operationId: 'cancelJob',
    summary: 'Cancels a job that is not settled.',
    description: 'Its outcomes are kept and no longer counted. Asking again answers with the same job.',
  })
  @ApiJobId()
  @ApiConsumes('application/json')
  @ApiResponse({ status: 200, description: 'The cancelled job.', standardSchema: jobSchema })
  @ApiProblems(400, 404, 409, 415, 429)
  async cancel(
    @Param('id') id: string,
    @Body({ schema: cancelBody }) body: Buffer | undefined,
    @Req() request: FastifyRequest,
  ) {
    const { reason } = readCommandBody(cancelBody, request, body);
    const tenantId = tenantOf(request, id);
    return jobJson(await this.commands.cancel({ tenantId, jobId: id, reason, causationId: request.id }));
  }

  @Post(':id/analyses/:name/runs')
  @HttpCode(202)
  @RequireScope('documents:write')
  @ApiOperation({
    operationId: 'requestRun',
    summary: 'Asks for one more run of an analysis.',
    description:
      'The newest run that you know of goes along: if somebody else has asked meanwhile, nothing happens. A run that ' +
      'fails leaves the result as it was.',
  })
  @ApiJobId()
  @ApiParam({ name: 'name', description: 'Name of the analysis.', schema: { type: 'string' }, example: 'summary' })
  @ApiConsumes('application/json')
  @ApiResponse({ status: 202, description: 'The run that will be made.', standardSchema: runSchema })
  @ApiProblems(400, 404, 409, 415, 429)
  async run(
    @Param('id') id: string,
    @Param('name') analysis: string,
    @Body({ schema: runBody }) body: Buffer | undefined,
    @Req() request: FastifyRequest,
  ) {
    const { expectedRun, fresh: isFresh } = readCommandBody(runBody, request, body);
    const tenantId = tenantOf(request, id);
    const asked = { tenantId, jobId: id, analysis, expectedRun, isFresh, causationId: request.id };
    const run = await this.commands.requestRun(asked);
    const jobId = id.toLowerCase();
    const self = jobPath(jobId);
    return { jobId, analysis, run, links: { job: self, result: `${self}/result` } };
  }
}
