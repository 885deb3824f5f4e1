import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { OpenAPIObject } from '@nestjs/swagger';
import { pino } from 'pino';
import { configureHttp } from '../src/http/configure.js';
import { problems } from '../src/http/problem.js';
import { serverOptions } from '../src/http/server-options.js';
import { IngestionModule } from '../src/ingestion.module.js';
import type { IngestionPorts } from '../src/ports.js';

// Only the shape of the API is looked at: nothing is called.
const unused = () => Promise.reject(new Error('not called'));
const jobs = { job: unused, list: unused, result: unused, text: unused, history: unused };
const rules = { list: unused, get: unused, put: unused, withdraw: unused };
const commands = { cancel: unused, requestRun: unused };
const documents = { latest: unused, revisions: unused };
const log = pino({ level: 'silent' });
const results = { watch: { wait: unused }, jobs, log };
const limits = { maxDocumentBytes: 1, takePost: () => undefined };
const ports: IngestionPorts = {
  acceptance: unused,
  documents,
  jobs,
  commands,
  explain: unused,
  rules,
  results,
  limits,
};

const routes: string[] = [];
let app: NestFastifyApplication;
let document: OpenAPIObject;

beforeAll(async () => {
  app = await NestFactory.create<NestFastifyApplication>(
    IngestionModule.over(ports),
    new FastifyAdapter(serverOptions),
    {
      logger: false,
      abortOnError: false,
    },
  );
  const instance = app.getHttpAdapter().getInstance();
  instance.addHook('onRoute', ({ method, url }) => {
    if (url.startsWith('/v1'))
      routes.push(...[method].flat().map((one) => `${one} ${url.replaceAll(/:(\w+)/g, '{$1}')}`));
  });
  const metrics = { observe: () => undefined };
  configureHttp(app, {
    findKey: unused,
    metrics,
    log,
    maxDocumentBytes: 1,
    maxBodyBytesInFlight: 1,
    onLimitReached: () => undefined,
  });
  await app.init();
  document = (await instance.inject('/openapi.json')).json();
});

afterAll(() => app.close());

const operations = () =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      operation: operation as NonNullable<OpenAPIObject['paths'][string]['get']>,
    })),
  );

/** Every `$ref` anywhere in the document. */
function refsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(refsIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => (key === '$ref' ? [String(inner)] : refsIn(inner)));
}

describe('the OpenAPI document', () => {
  it('is an OpenAPI 3 document with a title and a version', () => {
    expect(document.openapi).toMatch(/^3\./);
    expect(document.info).toMatchObject({ title: 'Anabranch', version: '1' });
  });

  it('has every route of the API, and no other', () => {
    const withoutHead = routes.filter((route) => !route.startsWith('HEAD '));
    expect(
      operations()
        .map(({ name }) => name)
        .sort(),
    ).toEqual(withoutHead.sort());
    expect(withoutHead).toHaveLength(23);
  });

  it.each([
    ['POST /v1/documents', [200, 202, 400, 401, 403, 409, 413, 415, 422, 429, 500, 503]],
    ['GET /v1/documents/{id}', [200, 401, 403, 404, 500, 503]],
    ['GET /v1/documents/{id}/revisions', [200, 400, 401, 403, 404, 500, 503]],
    ['GET /v1/jobs', [200, 400, 401, 403, 500, 503]],
    ['GET /v1/jobs/{id}', [200, 401, 403, 404, 500, 503]],
    ['GET /v1/jobs/{id}/result', [200, 400, 401, 403, 404, 409, 410, 500, 503]],
    ['GET /v1/jobs/{id}/text', [200, 401, 403, 404, 410, 500, 503]],
    ['POST /v1/jobs/{id}/cancel', [200, 400, 401, 403, 404, 409, 415, 429, 500, 503]],
    ['POST /v1/jobs/{id}/analyses/{name}/runs', [202, 400, 401, 403, 404, 409, 415, 429, 500, 503]],
    ['GET /v1/jobs/{id}/why', [200, 401, 403, 404, 500, 503]],
    ['GET /v1/jobs/{id}/events', [200, 400, 401, 403, 404, 500, 503]],
    ...['taxonomies', 'rulesets', 'gazetteers'].flatMap((collection): [string, number[]][] => [
      [`GET /v1/${collection}`, [200, 401, 403, 500, 503]],
      [`GET /v1/${collection}/{id}`, [200, 400, 401, 403, 404, 500, 503]],
      [`PUT /v1/${collection}/{id}`, [200, 201, 400, 401, 403, 409, 412, 413, 415, 429, 500, 503]],
      [`DELETE /v1/${collection}/{id}`, [200, 400, 401, 403, 404, 412, 500, 503]],
    ]),
  ])('has every status of %s, each with its shape', (name, statuses) => {
    const operation = operations().find((one) => one.name === name)?.operation;
    expect(Object.keys(operation?.responses ?? {}).map(Number)).toEqual(statuses);
    for (const [status, response] of Object.entries(operation?.responses ?? {})) {
      const { content, description } = response as { content: Record<string, object>; description: string };
      expect(description).toBeTruthy();
      const mediaTypes = Object.keys(content);
      const success = name.endsWith('/text') ? 'text/plain' : 'application/json';
      expect(mediaTypes).toEqual([Number(status) < 400 ? success : 'application/problem+json']);
      expect(content[mediaTypes[0] ?? '']).toHaveProperty('schema');
    }
  });

  it('asks for a bearer key everywhere', () => {
    expect(document.components?.securitySchemes?.bearer).toMatchObject({
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'API key',
    });
    for (const { operation } of operations()) expect(operation.security).toEqual([{ bearer: [] }]);
  });

  it('refers to nothing that it does not have', () => {
    const refs = new Set(refsIn(document));
    const schemas = Object.keys(document.components?.schemas ?? {}).map((name) => `#/components/schemas/${name}`);
    expect(refs.size).toBeGreaterThan(4);
    for (const ref of refs) expect(schemas).toContain(ref);
  });

  it('describes the body in each of its forms, and the options of a raw one', () => {
    const operation = document.paths['/v1/documents']?.post;
    const body = operation?.requestBody as { content: Record<string, object> };
    expect(body.content).toMatchObject({
      'application/json': { schema: { $ref: '#/components/schemas/DocumentBody' } },
      'text/plain': { schema: { type: 'string' } },
      'text/markdown': { schema: { type: 'string' } },
      'text/html': { schema: { type: 'string' } },
    });
    const parameters = (operation?.parameters ?? []) as { name: string }[];
    const names = parameters.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['documentId', 'analyses', 'deadlineMs', 'X-Document-Metadata']));
  });

  it.each([
    ['taxonomies', 'Taxonomy', ['multiLabel', 'threshold', 'labels']],
    ['rulesets', 'Ruleset', ['rules']],
    ['gazetteers', 'Gazetteer', ['entries']],
  ])('describes what %s are made of, as they are put and as they are shown', (collection, name, fields) => {
    const { get, put } = document.paths[`/v1/${collection}/{id}`] ?? {};
    expect(put?.requestBody).toMatchObject({
      content: { 'application/json': { schema: { $ref: `#/components/schemas/${name}Body` } } },
    });
    expect(get?.responses['200']).toMatchObject({
      content: { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } },
    });
    const shown = document.components?.schemas?.[name] as { properties: object; required: string[] };
    expect(Object.keys(shown.properties)).toEqual(expect.arrayContaining([...fields, 'version', 'effectiveFrom']));
    const body = document.components?.schemas?.[`${name}Body`] as { properties: object; required: string[] };
    expect(Object.keys(body.properties)).toEqual(expect.arrayContaining(fields));
    expect(body.required).toEqual([fields.at(-1)]);
  });

  it('names the units of offsets, and which one counts without asking', () => {
    const parameters = document.paths['/v1/jobs/{id}/result']?.get?.parameters ?? [];
    expect(parameters).toContainEqual(
      expect.objectContaining({
        name: 'offsets',
        in: 'query',
        required: false,
        schema: expect.objectContaining({ enum: ['code-points', 'utf-16'], default: 'code-points' }),
      }),
    );
  });

  it('gives each operation a name of its own', () => {
    const ids = operations().map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe('the page of the API', () => {
  it('is served whole from here, with nothing from elsewhere', async () => {
    const instance = app.getHttpAdapter().getInstance();
    const page = await instance.inject('/docs');
    expect(page.statusCode).toBe(200);
    const sources = [...page.body.matchAll(/(?:src|href)="([^"#]+)"/g)].map(([, source]) => source ?? '');
    expect(sources.length).toBeGreaterThan(2);
    for (const source of sources) {
      expect(source).not.toMatch(/^(https?:)?\/\//);
      expect((await instance.inject(new URL(source, 'http://x/docs').pathname)).statusCode).toBe(200);
    }
  });
});

describe('the documentation of the API', () => {
  const page = readFileSync(new URL('../../../docs/api.md', import.meta.url), 'utf8');

  it.each(Object.entries(problems))('lists the problem %s with its status', (code, { status }) => {
    expect(page).toMatch(new RegExp(`^\\| \`${code}\` \\| ${status} \\|`, 'm'));
  });

  it('lists every route', () => {
    for (const { name } of operations()) expect(page).toContain(`\`${name}\``);
  });
});
