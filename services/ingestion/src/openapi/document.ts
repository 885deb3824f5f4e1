import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { z } from 'zod';
import { textMediaTypes } from '../documents/document-request.js';
import { problemSchema } from './api-problems.js';

/** The OpenAPI document of the API, made from its controllers and schemas. */
export function createOpenApi(app: NestFastifyApplication): OpenAPIObject {
  const config = new DocumentBuilder()
    .setTitle('Anabranch')
    .setDescription('Documents in, one joined result of all analyses out.')
    .setVersion('1')
    .addBearerAuth({
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'API key',
      description: 'An API key of your tenant.',
    })
    .build();
  const document = SwaggerModule.createDocument(app, config);
  return withRawBodies(withProblem(document));
}

function withProblem(document: OpenAPIObject): OpenAPIObject {
  const { $schema: _, ...problem } = z.toJSONSchema(problemSchema, { target: 'openapi-3.0', io: 'output' });
  const schemas = { ...document.components?.schemas, Problem: problem };
  return { ...document, components: { ...document.components, schemas } } as OpenAPIObject;
}

/** Nest gives every media type of a body the same schema; a raw body is not the JSON one. */
function withRawBodies(document: OpenAPIObject): OpenAPIObject {
  const body = document.paths['/v1/documents']?.post?.requestBody;
  if (!body || !('content' in body)) throw new Error('POST /v1/documents must describe its body.');
  for (const mediaType of textMediaTypes) body.content[mediaType] = { schema: { type: 'string' } };
  return document;
}
