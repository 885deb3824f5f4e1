import { describe, expect, test } from '@jest/globals';
import { emptinessFaults, fileFaults } from '../workspace/check.mjs';
import type { Workspace } from '../workspace/wiring/workspace.mjs';

const exportsOf = (path: string) => ({ '.': { '@anabranch/source': `./src/${path}` } });
const summary = 'services/summary';

/** The files of a topic with one version. */
const filesOf = (topic: string): Record<string, string> =>
  Object.fromEntries(['topic.json', 'v1.avsc', 'v1.example.json'].map((file) => [`schemas/${topic}/${file}`, '']));

/** A workspace in which everything is wired: one lib, one analysis. */
function wired(): Workspace & { texts: Record<string, string> } {
  const text = { folder: 'libs/text', shortName: 'text', name: '@anabranch/text', tags: ['layer:foundation'] };
  const analysis = {
    folder: summary,
    shortName: 'summary',
    name: '@anabranch/summary',
    tags: ['layer:service', 'kind:analysis'],
  };
  const texts: Record<string, string> = {
    'libs/text/README.md': '# text',
    'libs/text/src/index.ts': "export { clean } from './clean.js';",
    [`${summary}/README.md`]: '# summary',
    [`${summary}/src/main.ts`]: "import { service } from './service.js';",
    [`${summary}/src/service.ts`]: "import { clean } from '@anabranch/text';",
    [`${summary}/src/summary.analysis.ts`]: '',
    [`${summary}/test/summary.unit.spec.ts`]: '',
    [`${summary}/test/summary.contract.spec.ts`]: '',
    'docs/adr/0001-one.md': '# 1. One\n',
    'docs/adr/README.md': '- [1. One](0001-one.md)\n',
    ...filesOf('analysis.summary.finished'),
    ...filesOf('analysis.summary.requested'),
  };
  const services = [{ ...analysis, dependencies: ['@anabranch/text'], manifest: { exports: exportsOf('service.ts') } }];
  return {
    texts,
    projects: [{ ...text, dependencies: [], manifest: { exports: exportsOf('index.ts') } }, ...services],
    services,
    analyses: services,
    topics: {
      'analysis.summary.finished': { producers: ['summary'], consumers: ['any consumer'], analysis: 'summary' },
      'analysis.summary.requested': { producers: ['any producer'], consumers: ['summary'], requests: 'summary' },
    },
    released: { 'analysis.summary.finished': { v1: 'checksum' }, 'analysis.summary.requested': { v1: 'checksum' } },
    files: Object.keys(texts),
    read: (path) => texts[path] ?? '',
  };
}

/** The faults after one file's text was changed, or the file was taken away. */
function faultsWith(path: string, text?: string): string[] {
  const workspace = wired();
  if (text === undefined) delete workspace.texts[path];
  else workspace.texts[path] = text;
  return fileFaults({ ...workspace, files: Object.keys(workspace.texts) });
}

describe('the wiring check', () => {
  test('has nothing to say when everything is in its place', () => {
    expect(fileFaults(wired())).toEqual([]);
  });

  test.each([
    'libs/text/README.md',
    `${summary}/src/main.ts`,
    `${summary}/src/summary.analysis.ts`,
    `${summary}/test/summary.contract.spec.ts`,
    'schemas/analysis.summary.finished/v1.example.json',
  ])('misses %s and says so', (path) => {
    expect(faultsWith(path)).toEqual([expect.stringMatching(`^${path.replaceAll('.', '\\.')} is missing`)]);
  });

  test.each([
    [`${summary}/src/extra.ts`, "import { a } from '@anabranch/summary/testing';\nimport('@anabranch/text');", []],
    [`${summary}/src/summary-utils.ts`, '', ['name the file for its main export']],
    [`${summary}/src/helpers/join.ts`, '', ['name the folder "helpers" for a concept']],
    [`${summary}/src/summaryText.ts`, '', ['file names are kebab-case']],
    ['libs/text/src/offsets/index.ts', '', ['is no entry point of package.json']],
    ['libs/text/test/clean.spec.ts', '', ['no test command finds it']],
    ['libs/text/README.md', '\n'.repeat(100), ['stay under a page']],
    [
      'libs/text/src/index.ts',
      "import { s } from '@anabranch/summary';",
      ['add "@anabranch/summary": "*" to dependencies'],
    ],
    [`${summary}/src/service.ts`, '', ['remove @anabranch/text, which src does not import']],
    ['schemas/analysis.summary.finished/v2.avsc', '', ['v2.avsc is not released']],
    ['docs/adr/0002-two.md', '# 2. Two', ['list 0002-two.md by its title']],
    ['docs/adr/0001-one.md', '# 1. Another title', ['list 0001-one.md by its title']],
    ['docs/adr/README.md', '- [1. One](0001-one.md) [x](0009-x.md)', ['remove 0009-x.md']],
  ])('judges %s holding %j', (path, text, messages) => {
    expect(faultsWith(path, text)).toEqual(messages.map((message) => expect.stringContaining(message)));
  });

  test('finds a project without its tags', () => {
    const workspace = wired();
    const projects = workspace.projects.map((project) => ({ ...project, tags: [] }));
    expect(fileFaults({ ...workspace, projects })).toEqual([
      'libs/text/package.json: give "nx": { "tags" } exactly one of layer:foundation, layer:platform, layer:runtime, layer:test',
      'services/summary/package.json: give "nx": { "tags" } layer:service',
      'services/summary/package.json: give "nx": { "tags" } exactly one of kind:analysis, kind:pipeline',
    ]);
  });

  test('finds a topic whose producer, or analysis, does not exist', () => {
    const topics = {
      'analysis.toxicity.finished': { producers: ['toxicity'], consumers: ['operators'], analysis: 'toxicity' },
    };
    expect(fileFaults({ ...wired(), topics })).toEqual([
      expect.stringContaining('names "toxicity": there is no such service'),
      expect.stringContaining('there is no analysis services/toxicity'),
    ]);
  });

  test('does not pass because it looked at nothing', () => {
    const nothing = { ...wired(), projects: [], services: [], analyses: [], topics: {}, files: [] };
    expect(emptinessFaults(nothing)).toHaveLength(6);
  });
});
