import { Controller, Get, Inject, Param, Query, Req, UseGuards } from '@nestjs/common';
import { ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { RequireScope, ScopeGuard } from '../access/scope.guard.js';
import { queryPipe } from '../http/query-pipe.js';
import { accessOf, requestState } from '../http/request.js';
import { ApiProblems } from '../openapi/api-problems.js';
import { documentReaderToken } from '../ports.js';
import { documentJson, documentSchema, revisionPageJson, revisionPageSchema, revisionQuery } from './document-json.js';
import type { DocumentReader } from './document-reader.js';

const ApiDocumentId = () =>
  ApiParam({ name: 'id', description: 'Id of the document, percent-encoded.', schema: { type: 'string' } });

/** What a document is now, and was. */
@ApiTags('documents')
@Controller('v1/documents')
@UseGuards(ScopeGuard)
export class DocumentReadController {
  constructor(@Inject(documentReaderToken) private readonly documents: DocumentReader) {}

  @Get(':id')
  @RequireScope('documents:read')
  @ApiOperation({ operationId: 'getDocument', summary: 'The latest revision of the document, with its job.' })
  @ApiDocumentId()
  @ApiResponse({ status: 200, description: 'The document.', standardSchema: documentSchema })
  @ApiProblems(404)
  async get(@Param('id') id: string, @Req() request: FastifyRequest) {
    return documentJson(await this.documents.latest(tenantOf(request, id), id));
  }

  @Get(':id/revisions')
  @RequireScope('documents:read')
  @ApiOperation({ operationId: 'listRevisions', summary: 'Lists the revisions of the document, newest first.' })
  @ApiDocumentId()
  @ApiResponse({ status: 200, description: 'A page of revisions.', standardSchema: revisionPageSchema })
  @ApiProblems(400, 404)
  async revisions(
    @Param('id') id: string,
    @Query({ schema: revisionQuery, pipes: [queryPipe] }) query: z.infer<typeof revisionQuery>,
    @Req() request: FastifyRequest,
  ) {
    const range = { documentId: id, ...query };
    return revisionPageJson(id, await this.documents.revisions(tenantOf(request, id), range));
  }
}

/** Whose document it must be; notes the document for the access log. */
function tenantOf(request: FastifyRequest, documentId: string): string {
  requestState(request).logFields.documentId = documentId;
  return accessOf(request).tenantId;
}
