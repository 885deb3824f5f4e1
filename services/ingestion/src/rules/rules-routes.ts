// What the routes about rules need and answer: one decorator for each, whatever the kind.
import { applyDecorators, Delete, Get, Put } from '@nestjs/common';
import { ApiConsumes, ApiHeader, ApiOperation, ApiParam, ApiResponse } from '@nestjs/swagger';
import { rulesIdPattern } from '@anabranch/rules';
import { RequireScope, type Scope } from '../access/scope.guard.js';
import { ApiProblems } from '../openapi/api-problems.js';
import type { RulesResource } from './rules-kinds.js';
import { rulesVersionSchema } from './rules-schemas.js';

const headers = { ETag: { description: 'The version, for If-Match.', schema: { type: 'string' as const } } };

const ApiStored = (status: number, description: string): MethodDecorator =>
  ApiResponse({ status, description, standardSchema: rulesVersionSchema, headers });

const ApiCondition = (): MethodDecorator =>
  ApiHeader({ name: 'If-Match', required: false, description: 'Change only this version: an ETag, or * for any.' });

const ApiRulesId = (): MethodDecorator =>
  ApiParam({
    name: 'id',
    description: 'The tenant’s name for it.',
    schema: { type: 'string', pattern: rulesIdPattern.source },
    example: 'default',
  });

interface Operation {
  verb: string;
  scope: Scope;
  summary: string;
}

function Route({ name }: RulesResource, { verb, scope, summary }: Operation): MethodDecorator {
  return applyDecorators(RequireScope(scope), ApiOperation({ operationId: `${verb}${name}`, summary }));
}

/** `GET /v1/KIND` */
export function ListRoute(resource: RulesResource): MethodDecorator {
  const { collection, purpose, listSchema } = resource;
  return applyDecorators(
    Get(),
    Route(resource, { verb: 'list', scope: 'rules:read', summary: `Lists the tenant’s ${collection}. ${purpose}` }),
    ApiResponse({ status: 200, description: 'The newest version of each.', standardSchema: listSchema }),
    ApiProblems(),
  );
}

/** `GET /v1/KIND/{id}` */
export function ShowRoute(resource: RulesResource): MethodDecorator {
  const { kind, shownSchema } = resource;
  const summary = `The ${kind}, in its newest version, which may not be in force yet.`;
  return applyDecorators(
    Get(':id'),
    Route(resource, { verb: 'get', scope: 'rules:read', summary }),
    ApiRulesId(),
    ApiResponse({ status: 200, description: `The ${kind}.`, standardSchema: shownSchema, headers }),
    ApiProblems(400, 404),
  );
}

/** `PUT /v1/KIND/{id}` */
export function PutRoute(resource: RulesResource): MethodDecorator {
  const { kind } = resource;
  const summary = `Stores a version of the ${kind}. The answer says from when it is in force.`;
  return applyDecorators(
    Put(':id'),
    Route(resource, { verb: 'put', scope: 'rules:write', summary }),
    ApiRulesId(),
    ApiCondition(),
    ApiConsumes('application/json'),
    ApiStored(200, 'Stored; or the newest version says the same already.'),
    ApiStored(201, `Stored; there was no ${kind} of this id.`),
    ApiProblems(400, 409, 412, 413, 415, 429),
  );
}

/** `DELETE /v1/KIND/{id}` */
export function DeleteRoute(resource: RulesResource): MethodDecorator {
  const summary = `Withdraws the ${resource.kind}. The answer says from when it is no longer in force.`;
  return applyDecorators(
    Delete(':id'),
    Route(resource, { verb: 'delete', scope: 'rules:write', summary }),
    ApiRulesId(),
    ApiCondition(),
    ApiStored(200, 'Withdrawn: one more version, which says nothing.'),
    ApiProblems(400, 404, 412),
  );
}
