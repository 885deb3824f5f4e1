// Known-bad code, at least one piece per row of house-style §2: lint must report exactly these rules and messages.
// Nx's boundary rule passes in silence when it has no project graph, so a green run proves nothing without them.

/**
 * @typedef {object} Canary
 * @property {string} name what must not be possible, as a sentence
 * @property {string} project folder of the project that contains the code
 * @property {boolean} [spec] the code stands in a test of the project
 * @property {string} code
 * @property {string | null} rule as oxlint reports it; null = nothing may be reported: a control
 * @property {string} message start of the message
 */

const boundary = 'nx(enforce-module-boundaries)';
const ownership = 'anabranch(client-ownership)';
const environment = 'anabranch(process-environment)';

/** @param {string} specifier */
const importOf = (specifier) => `import * as it from '${specifier}';\nexport const used = it;\n`;

/** @type {(tag: string) => string} */
const onlyTags = (tag) => `A project tagged with "${tag}" can only depend on libs tagged with`;

/** @type {(tag: string, specifier: string) => string} */
const banned = (tag, specifier) => `A project tagged with "${tag}" is not allowed to import "${specifier}"`;

/** @type {(name: string, project: string, it: { imports: string, as: string }) => Canary} */
const dependency = (name, project, { imports, as }) => ({
  name,
  project,
  code: importOf(`@anabranch/${imports}`),
  rule: boundary,
  message: onlyTags(as),
});

/** @type {(project: string, specifier: string, tag: string) => Canary} */
const bannedClient = (project, specifier, tag) => ({
  name: `${project} does not import ${specifier}`,
  project,
  code: importOf(specifier),
  rule: boundary,
  message: banned(tag, specifier),
});

/** @type {(project: string, specifier: string) => Canary} */
const ownedClient = (project, specifier) => ({
  name: `${project} leaves ${specifier} to its owner`,
  project,
  code: importOf(specifier),
  rule: ownership,
  message: `"${specifier}" belongs to libs/`,
});

/** @type {(project: string, code: string) => Canary} */
const environmentRead = (project, code) => ({
  name: `${project} does not read the environment: ${code.split('\n')[0]}`,
  project,
  code,
  rule: environment,
  message: 'process.env is read by libs/service-host only',
});

/** @type {(name: string, project: string, options: { code: string, spec?: boolean }) => Canary} */
const allowed = (name, project, { code, spec = false }) => ({ name, project, spec, code, rule: null, message: '' });

const readsEnvironment = 'export const home = process.env.HOME;\n';

/** @type {Canary[]} */
export const canaries = [
  dependency('foundation knows no platform', 'libs/identifiers', { imports: 'kafka', as: 'layer:foundation' }),
  dependency('foundation knows no runtime', 'libs/text', {
    imports: 'analysis-runtime',
    as: 'layer:foundation',
  }),
  bannedClient('libs/identifiers', 'kafkajs', 'layer:foundation'),
  bannedClient('libs/identifiers', 'kafkajs/src/index.js', 'layer:foundation'),
  bannedClient('libs/identifiers', 'pg', 'layer:foundation'),
  bannedClient('libs/identifiers', 'fastify', 'layer:foundation'),
  ownedClient('libs/identifiers', 'openai'),
  ownedClient('libs/identifiers', 'avsc'),

  dependency('a platform lib knows no other platform lib', 'libs/object-store', {
    imports: 'kafka',
    as: 'layer:platform',
  }),
  dependency('a platform lib knows no runtime', 'libs/database', { imports: 'analysis-runtime', as: 'layer:platform' }),
  ownedClient('libs/database', 'kafkajs'),
  ownedClient('libs/database', 'kafkajs/src/index.js'),
  ownedClient('libs/database', '@kafkajs/confluent-schema-registry'),
  ownedClient('libs/kafka', 'pg'),
  ownedClient('libs/kafka', 'typeorm'),
  ownedClient('libs/kafka', '@nestjs/platform-fastify'),
  ownedClient('libs/database', 'ai'),
  dependency('the model lib knows no other platform lib', 'libs/language-model', {
    imports: 'database',
    as: 'layer:platform',
  }),
  ownedClient('libs/language-model', 'pg'),
  allowed('the model lib owns the SDKs of models', 'libs/language-model', { code: importOf('@ai-sdk/openai') }),

  dependency('the runtime knows no service', 'libs/analysis-runtime', { imports: 'collection', as: 'layer:runtime' }),
  bannedClient('libs/analysis-runtime', 'kafkajs', 'layer:runtime'),
  ownedClient('libs/analysis-runtime', 'ai/rsc'),
  ownedClient('libs/analysis-runtime', 'openai'),

  dependency('an analysis does not import the Kafka lib', 'services/summary', {
    imports: 'kafka',
    as: 'kind:analysis',
  }),
  dependency('an analysis does not import the job store', 'services/summary', {
    imports: 'database',
    as: 'kind:analysis',
  }),
  dependency('an analysis does not import the model lib', 'services/summary', {
    imports: 'language-model',
    as: 'kind:analysis',
  }),
  bannedClient('services/summary', 'pg', 'kind:analysis'),
  bannedClient('services/summary', 'kafkajs', 'kind:analysis'),
  bannedClient('services/summary', 'kafkajs/src/index.js', 'kind:analysis'),
  ownedClient('services/summary', '@ai-sdk/openai'),
  environmentRead('services/summary', readsEnvironment),

  dependency('a pipeline service does not import the runtime', 'services/collection', {
    imports: 'analysis-runtime',
    as: 'kind:pipeline',
  }),
  bannedClient('services/collection', 'kafkajs/src/index.js', 'kind:pipeline'),
  bannedClient('services/ingestion', 'typeorm', 'kind:pipeline'),
  ownedClient('services/collection', 'fastify'),

  dependency('an analysis does not import another service', 'services/summary', {
    imports: 'sentiment',
    as: 'kind:analysis',
  }),
  dependency('a pipeline service does not import another service', 'services/ingestion', {
    imports: 'collection',
    as: 'kind:pipeline',
  }),
  {
    name: 'no project reaches into another one by a path',
    project: 'services/summary',
    code: importOf('../../sentiment/src/service.js'),
    rule: boundary,
    message: 'Projects cannot be imported by a relative or absolute path',
  },

  dependency('test support stays out of a foundation lib', 'libs/identifiers', {
    imports: 'test-support',
    as: 'layer:foundation',
  }),
  dependency('test support stays out of a platform lib', 'libs/object-store', {
    imports: 'test-support',
    as: 'layer:platform',
  }),
  dependency('test support stays out of the runtime', 'libs/analysis-runtime', {
    imports: 'test-support',
    as: 'layer:runtime',
  }),
  dependency('test support stays out of an analysis', 'services/summary', {
    imports: 'test-support',
    as: 'kind:analysis',
  }),
  dependency('test support stays out of a pipeline service', 'services/collection', {
    imports: 'test-support',
    as: 'kind:pipeline',
  }),
  dependency('test support knows no service', 'libs/test-support', { imports: 'sentiment', as: 'layer:test' }),
  allowed('test support may be imported by specs', 'libs/identifiers', {
    spec: true,
    code: importOf('@anabranch/test-support'),
  }),
  allowed('a spec of a platform lib may use another one', 'libs/object-store', {
    spec: true,
    code: importOf('@anabranch/kafka'),
  }),
  allowed('a spec may read the addresses of the test stack', 'libs/kafka', { spec: true, code: readsEnvironment }),

  environmentRead('libs/text', readsEnvironment),
  environmentRead('libs/text', "import { env } from 'node:process';\nexport const home = env.HOME;\n"),
  environmentRead('libs/text', 'const { env } = process;\nexport const home = env.HOME;\n'),
  allowed('the host reads the environment', 'libs/service-host', { code: readsEnvironment }),

  {
    name: 'no lib re-exports everything',
    project: 'libs/text',
    code: "export * from './src/index.js';\n",
    rule: 'anabranch(named-exports)',
    message: 'export * from "./src/index.js"',
  },
  {
    name: 'no function takes four parameters',
    project: 'libs/text',
    code: 'export const sum = (a: number, b: number, c: number, d: number) => a + b + c + d;\n',
    rule: 'anabranch(parameter-count)',
    message: '4 parameters, at most 3',
  },
  allowed('a constructor may have five parameters', 'libs/text', {
    code: 'export class It {\n  constructor(a = 1, b = 1, c = 1, d = 1, e = 1) {\n    this.sum = a + b + c + d + e;\n  }\n  readonly sum: number;\n}\n',
  }),
  {
    name: 'no service writes to the console',
    project: 'services/summary',
    code: "console.log('here');\n",
    rule: 'eslint(no-console)',
    message: 'Unexpected console statement',
  },
  {
    name: 'no promise floats: rules that need types are on',
    project: 'libs/text',
    code: 'Promise.resolve(1);\n',
    rule: 'typescript(no-floating-promises)',
    message: 'Promises must be awaited',
  },
];
