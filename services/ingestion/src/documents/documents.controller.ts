import { Body, Controller, Inject, Post, Query, Req, Res, UseGuards } from '@nestjs/common';
import { ApiConsumes, ApiHeader, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RequireScope, ScopeGuard } from '../access/scope.guard.js';
import { accessOf, requestState } from '../http/request.js';
import { jobJson, jobPath } from '../jobs/job-json.js';
import { jobSchema, settledOrJobSchema } from '../jobs/job-schemas.js';
import { ApiProblems } from '../openapi/api-problems.js';
import { acceptanceToken, limitsToken, resultWaitingToken, type Limits } from '../ports.js';
import type { Acceptance } from './acceptance.js';
import { idempotencyOf } from './idempotency.js';
import { documentBody, rawDocumentQuery } from './document-request.js';
import { bodyMediaTypes, readDocument } from './read-body.js';
import { waitForResult, type ResultWaiting } from './wait-for-result.js';

const text = { type: 'string' as const };
const answerHeaders = {
  Location: { description: 'Path of the job.', schema: text },
  'Idempotent-Replayed': { description: '`true` when the request was answered before.', schema: text },
};
const resultHeaders = {
  'Content-Location': { description: 'Path of the result, when the answer is one.', schema: text },
  'Preference-Applied': { description: 'That it was waited for a result.', schema: text },
};

/** The door for documents. */
@ApiTags('documents')
@Controller('v1/documents')
@UseGuards(ScopeGuard)
export class DocumentsController {
  constructor(
    @Inject(acceptanceToken) private readonly accept: Acceptance,
    @Inject(limitsToken) private readonly limits: Limits,
    @Inject(resultWaitingToken) private readonly results: ResultWaiting,
  ) {}

  @Post()
  @RequireScope('documents:write')
  @ApiOperation({
    operationId: 'postDocument',
    summary: 'Accepts a document for analysis.',
    description:
      'As JSON, or as the text itself; then the options are in the query, and the labels in X-Document-Metadata. ' +
      'HTML is turned into text. A 202 is durable: the job will settle.',
  })
  @ApiConsumes(...bodyMediaTypes)
  @ApiHeader({
    name: 'X-Document-Metadata',
    required: false,
    description: 'Labels of a raw body: key=value pairs, separated by commas, percent-encoded.',
  })
  @ApiHeader({
    name: 'Idempotency-Key',
    required: false,
    description:
      'Makes it safe to send the request again: the same key and request are answered with the same job. Up to 255 ' +
      'printable ASCII characters, best in quotation marks.',
  })
  @ApiHeader({
    name: 'Prefer',
    required: false,
    description:
      '`wait=20` holds the answer up to 20 seconds (at most 60) for the result, after a short body (RFC 7240).',
  })
  @ApiResponse({ status: 202, description: 'Accepted, durably.', standardSchema: jobSchema, headers: answerHeaders })
  @ApiResponse({
    status: 200,
    description:
      'The document has this content already: the job that exists. Or, with `Prefer: wait`, the result, when the job ' +
      'settled in time: `Content-Location` says so.',
    standardSchema: settledOrJobSchema,
    headers: { ...answerHeaders, ...resultHeaders },
  })
  @ApiProblems(400, 409, 413, 415, 422, 429)
  async post(
    @Body({ schema: documentBody }) body: Buffer | undefined,
    @Query({ schema: rawDocumentQuery }) query: Record<string, unknown>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const { headers } = request;
    const { tenantId } = accessOf(request);
    this.limits.takePost(tenantId);
    const metadata = headers['x-document-metadata'];
    const document = readDocument(
      { contentType: headers['content-type'], query, metadataHeader: metadata?.toString(), body },
      this.limits.maxDocumentBytes,
    );
    const { traceparent, logFields } = requestState(request);
    const idempotency = idempotencyOf(headers['idempotency-key'], document);
    const sender = { tenantId, traceparent, correlationId: request.id, idempotency };
    const { job, created, replayed } = await this.accept(document, sender);
    Object.assign(logFields, { jobId: job.id, documentId: job.documentId });
    reply.code(created ? 202 : 200).header('location', jobPath(job.id));
    if (replayed) reply.header('idempotent-replayed', 'true');
    const waiting = { request, reply, bodyBytes: body?.byteLength ?? 0 };
    return (await waitForResult(job, this.results, waiting)) ?? jobJson(job);
  }
}
