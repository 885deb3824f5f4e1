import type { Logger } from '@anabranch/service-host';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { SwaggerModule } from '@nestjs/swagger';
import type { ApiKeys } from '../access/api-keys.js';
import { textMediaTypes } from '../documents/document-request.js';
import { jsonMaxBytes } from '../documents/json-body.js';
import type { OnLimitReached } from '../documents/tenant-limits.js';
import { createOpenApi } from '../openapi/document.js';
import { installBodyHooks } from './body-hooks.js';
import { installHooks } from './hooks.js';
import type { HttpMetrics } from './http-metrics.js';
import { ProblemFilter } from './problem.filter.js';
import { createRouteTable } from './routes.js';
import { answerExpectation } from './server-options.js';

export interface HttpOptions {
  findKey: ApiKeys;
  metrics: HttpMetrics;
  log: Logger;
  maxDocumentBytes: number;
  /** Most bytes of all bodies together that are held at a time; of one tenant half of it, or one document. */
  maxBodyBytesInFlight: number;
  onLimitReached: OnLimitReached;
}

/** Sets the application up before its routes are made: hooks, body parsers, errors, OpenAPI and its page. */
export function configureHttp(
  app: NestFastifyApplication,
  { findKey, metrics, log, maxDocumentBytes, maxBodyBytesInFlight, onLimitReached }: HttpOptions,
): void {
  const routes = createRouteTable();
  const instance = app.getHttpAdapter().getInstance();
  installHooks(instance, { routes, findKey, metrics, log });
  const ofTenant = Math.max(jsonMaxBytes(maxDocumentBytes), Math.floor(maxBodyBytesInFlight / 2));
  installBodyHooks(instance, { all: maxBodyBytesInFlight, ofTenant }, onLimitReached);
  instance.server.on('checkExpectation', answerExpectation);
  useBodiesAsBytes(app, maxDocumentBytes);
  app.useGlobalFilters(new ProblemFilter({ routes, maxBytes: maxDocumentBytes, log }));
  SwaggerModule.setup('docs', app, () => createOpenApi(app), {
    jsonDocumentUrl: 'openapi.json',
    raw: ['json'],
    customSiteTitle: 'Anabranch API',
  });
}

/** Character sets, JSON and their faults are ours to judge, without a message that quotes the document. */
function useBodiesAsBytes(app: NestFastifyApplication, maxDocumentBytes: number): void {
  // Nest would parse forms by itself, with a limit of its own; as bytes they are refused like all other types.
  const types = [...textMediaTypes, 'application/x-www-form-urlencoded'];
  app.useBodyParser(types, { bodyLimit: maxDocumentBytes }, asIs);
  app.useBodyParser('application/json', { bodyLimit: jsonMaxBytes(maxDocumentBytes) }, asIs);
}

const asIs = (_request: unknown, body: Buffer, done: (error: Error | null, body: Buffer) => void): void => {
  done(null, body);
};
