import { Readable } from 'node:stream';
import { Controller, Get, Inject, Param, Query, Req, Res, UseGuards } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiProduces, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { RequireScope, ScopeGuard } from '../access/scope.guard.js';
import { accessOf, requestState } from '../http/request.js';
import { queryPipe } from '../http/query-pipe.js';
import { ApiProblems } from '../openapi/api-problems.js';
import { jobReaderToken } from '../ports.js';
import { jobJson, jobPageJson } from './job-json.js';
import type { JobReader } from './job-reader.js';
import {
  historyQuery,
  historySchema,
  jobPageSchema,
  jobQuery,
  jobSchema,
  resultQuery,
  resultSchema,
} from './job-schemas.js';

/** The path parameter of every route about one job. */
export const ApiJobId = () =>
  ApiParam({ name: 'id', description: 'Id of the job.', schema: { type: 'string', format: 'uuid' } });

/** Where a document is, what came of it, and how. */
@ApiTags('jobs')
@Controller('v1/jobs')
@UseGuards(ScopeGuard)
export class JobsController {
  constructor(@Inject(jobReaderToken) private readonly jobs: JobReader) {}

  @Get()
  @RequireScope('documents:read')
  @ApiOperation({ operationId: 'listJobs', summary: 'Lists jobs, newest first.' })
  @ApiResponse({ status: 200, description: 'A page of jobs.', standardSchema: jobPageSchema })
  @ApiProblems(400)
  async list(
    @Query({ schema: jobQuery, pipes: [queryPipe] }) query: z.infer<typeof jobQuery>,
    @Req() request: FastifyRequest,
  ) {
    return jobPageJson(await this.jobs.list(accessOf(request).tenantId, query));
  }

  @Get(':id')
  @RequireScope('documents:read')
  @ApiOperation({ operationId: 'getJob', summary: 'Where the job is.' })
  @ApiJobId()
  @ApiResponse({ status: 200, description: 'The job.', standardSchema: jobSchema })
  @ApiProblems(404)
  async get(@Param('id') id: string, @Req() request: FastifyRequest) {
    return jobJson(await this.jobs.job(tenantOf(request, id), id));
  }

  @Get(':id/result')
  @RequireScope('documents:read')
  @ApiOperation({ operationId: 'getResult', summary: 'What came of the job, with a receipt for each analysis.' })
  @ApiJobId()
  @ApiResponse({ status: 200, description: 'The result as it was settled last.', standardSchema: resultSchema })
  @ApiProblems(400, 404, 409, 410)
  async result(
    @Param('id') id: string,
    @Query({ schema: resultQuery, pipes: [queryPipe] }) { offsets }: z.infer<typeof resultQuery>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Readable> {
    const { chunks, bytes } = await this.jobs.result(tenantOf(request, id), { jobId: id, offsets });
    reply.type('application/json; charset=utf-8').header('content-length', bytes);
    return Readable.from(chunks);
  }

  @Get(':id/text')
  @RequireScope('documents:read')
  @ApiOperation({ operationId: 'getText', summary: 'The cleaned text that offsets in results refer to.' })
  @ApiJobId()
  @ApiProduces('text/plain')
  @ApiResponse({ status: 200, description: 'The text, in UTF-8.', schema: { type: 'string' } })
  @ApiProblems(404, 410)
  async text(
    @Param('id') id: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string | Buffer> {
    const text = await this.jobs.text(tenantOf(request, id), id);
    reply.type('text/plain; charset=utf-8');
    return text;
  }

  @Get(':id/events')
  @RequireScope('documents:read')
  @ApiOperation({ operationId: 'getHistory', summary: 'The history of the job, in numbered steps.' })
  @ApiJobId()
  @ApiResponse({ status: 200, description: 'Events, oldest first.', standardSchema: historySchema })
  @ApiProblems(400, 404)
  async events(
    @Param('id') id: string,
    @Query({ schema: historyQuery, pipes: [queryPipe] }) range: z.infer<typeof historyQuery>,
    @Req() request: FastifyRequest,
  ) {
    return { jobId: id.toLowerCase(), events: await this.jobs.history(tenantOf(request, id), id, range) };
  }
}

/** Whose job it must be; notes the job for the access log. */
export function tenantOf(request: FastifyRequest, jobId: string): string {
  requestState(request).logFields.jobId = jobId;
  return accessOf(request).tenantId;
}
