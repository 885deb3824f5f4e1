import { Body, Controller, Inject, Param, Query, Req, Res, UseGuards, type Type } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { ScopeGuard } from '../access/scope.guard.js';
import { queryPipe } from '../http/query-pipe.js';
import { accessOf, requestState } from '../http/request.js';
import { rulesDeskToken } from '../ports.js';
import { etagOf, expectedVersionOf } from './expected-version.js';
import { readDefinition } from './read-definition.js';
import type { RulesChangeRequest, RulesDesk } from './rules-desk.js';
import { rulesIdPipe } from './rules-id-pipe.js';
import { rulesVersionJson } from './rules-json.js';
import { type RulesResource, rulesResources } from './rules-kinds.js';
import { DeleteRoute, ListRoute, PutRoute, ShowRoute } from './rules-routes.js';
import { rulesQuery } from './rules-schemas.js';

/** A controller for each kind of rules: the same routes, with their own addresses and shapes. */
export const rulesControllers: Type[] = rulesResources.map(controllerOf);

function controllerOf(resource: RulesResource): Type {
  const { kind, collection, bodySchema } = resource;

  @ApiTags(collection)
  @Controller(`v1/${collection}`)
  @UseGuards(ScopeGuard)
  class RulesController {
    constructor(@Inject(rulesDeskToken) private readonly desk: RulesDesk) {}

    @ListRoute(resource)
    async list(@Req() request: FastifyRequest) {
      const found = await this.desk.list({ tenantId: accessOf(request).tenantId, kind });
      return { [collection]: found.map(rulesVersionJson) };
    }

    @ShowRoute(resource)
    async show(
      @Param('id', rulesIdPipe) id: string,
      @Query({ schema: rulesQuery, pipes: [queryPipe] }) { version }: z.infer<typeof rulesQuery>,
      @Req() request: FastifyRequest,
      @Res({ passthrough: true }) reply: FastifyReply,
    ) {
      const key = { tenantId: accessOf(request).tenantId, kind, id };
      const { definition, ...info } = await this.desk.get(key, version ?? null);
      reply.header('etag', etagOf(info.version));
      return { ...rulesVersionJson(info), ...definition };
    }

    @PutRoute(resource)
    async put(
      @Param('id', rulesIdPipe) id: string,
      @Body({ schema: bodySchema }) body: Buffer | undefined,
      @Req() request: FastifyRequest,
      @Res({ passthrough: true }) reply: FastifyReply,
    ) {
      const definition = await readDefinition(resource, { contentType: request.headers['content-type'], body, id });
      const stored = await this.desk.put(changeOf(request, { kind, id }), definition);
      reply.code(stored.created && stored.version === 1 ? 201 : 200).header('etag', etagOf(stored.version));
      return rulesVersionJson(stored);
    }

    @DeleteRoute(resource)
    async delete(@Param('id', rulesIdPipe) id: string, @Req() request: FastifyRequest) {
      return rulesVersionJson(await this.desk.withdraw(changeOf(request, { kind, id })));
    }
  }
  return RulesController;
}

/** Who wants to change which rules, on what condition. */
function changeOf(request: FastifyRequest, rules: Pick<RulesChangeRequest, 'kind' | 'id'>): RulesChangeRequest {
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = request.headers;
  const { tenantId, keyId } = accessOf(request);
  requestState(request).logFields[rules.kind] = rules.id;
  return { ...rules, tenantId, keyId, expectedVersion: expectedVersionOf({ ifMatch, ifNoneMatch }) };
}
