import { describe, expect, it } from '@jest/globals';
import { Problem } from '../src/http/problem.js';
import { expectedVersionOf } from '../src/rules/expected-version.js';
import { readDefinition, rulesMaxBytes } from '../src/rules/read-definition.js';
import { rulesResources } from '../src/rules/rules-kinds.js';

const read = (collection: string, body: unknown, { id = 'default', contentType = 'application/json' } = {}) => {
  const resource = rulesResources.find((each) => each.collection === collection);
  if (resource === undefined) throw new Error(`no resource ${collection}`);
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return readDefinition(resource, { contentType, body: Buffer.from(text), id });
};

const problemOf = async (act: () => unknown): Promise<Problem> => {
  try {
    await act();
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
  throw new Error('no problem');
};

const fieldsOf = async (act: () => unknown): Promise<string[]> => {
  const { errors = [] } = ((await problemOf(act)).options.extensions ?? {}) as { errors?: { field: string }[] };
  return errors.map(({ field }) => field);
};

describe('a definition', () => {
  it.each([
    ['taxonomies', { labels: [{ name: 'a' }] }, 'labels'],
    ['rulesets', { rules: [] }, 'rules'],
    ['gazetteers', { entries: [] }, 'entries'],
  ])('is filled with defaults, and has neither id nor version: %s', async (collection, body, field) => {
    const definition = await read(collection, body);
    expect(Object.keys(definition)).toContain(field);
    expect(Object.keys(definition)).not.toEqual(expect.arrayContaining(['id']));
    expect(Object.keys(definition)).not.toEqual(expect.arrayContaining(['version']));
  });

  it('may be put back as it was got: what the platform says of it is passed over', async () => {
    const own = { entries: [{ name: 'X', type: 'PRODUCT' }] };
    const got = {
      id: 'default',
      version: '3',
      effectiveFrom: 'x',
      createdAt: 'x',
      createdBy: { keyId: 'k', name: 'n' },
    };
    expect(await read('gazetteers', { ...got, ...own })).toEqual(await read('gazetteers', own));
  });

  it('has a place for every fault', async () => {
    const labels = [
      { name: 'a', patterns: ['ok', '(?=no)'] },
      { name: '', keyword: [] },
    ];
    expect(await fieldsOf(() => read('taxonomies', { threshold: 3, labels, treshold: 1 }))).toEqual([
      'body.threshold',
      'body.labels.0.patterns.1',
      'body.labels.1.name',
      'body.labels.1',
      'body',
    ]);
  });

  it('says why a pattern cannot be run', async () => {
    const problem = await problemOf(() => read('taxonomies', { labels: [{ name: 'a', patterns: ['(?=no)'] }] }));
    expect(problem).toMatchObject({ code: 'INVALID_REQUEST', status: 400 });
    expect(problem.detail).toContain('body.labels.0.patterns.0');
    expect(problem.detail).toContain('RE2 syntax');
  });

  it.each(['\u0000', '\ud83d'])('holds no %j, for results could not be stored', async (character) => {
    const entries = [{ name: 'a', type: 'T' }];
    expect(
      await fieldsOf(() => read('taxonomies', { labels: [{ name: 'a', examples: ['fine', `x${character}`] }] })),
    ).toEqual(['body.labels.0.examples.1']);
    expect(await read('gazetteers', { entries })).toMatchObject({ entries });
  });

  it('belongs to the address that it is sent to', async () => {
    const body = { rules: [] };
    expect(await fieldsOf(() => read('rulesets', { ...body, id: 'other' }))).toEqual(['body.id']);
  });

  it('leaves turns to other requests while a long one is checked', async () => {
    const keywords = Array.from({ length: 200 }, (_, index) => `word ${index}`);
    const labels = Array.from({ length: 500 }, (_, index) => ({ name: `label ${index}`, keywords }));
    let isRead = false;
    const reading = read('taxonomies', { labels }).finally(() => (isRead = true));
    let turns = 0;
    while (!isRead) {
      turns += 1;
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await reading).toHaveProperty('labels.499.keywords.199', 'word 199');
    expect(turns).toBeGreaterThan(3);
  });

  it.each([
    ['another type', 'UNSUPPORTED_MEDIA_TYPE', () => read('rulesets', '{}', { contentType: 'text/plain' })],
    ['nothing', 'INVALID_JSON', () => read('rulesets', '')],
    ['half of it', 'INVALID_JSON', () => read('rulesets', '{"rules":[')],
    ['a list', 'INVALID_REQUEST', () => read('rulesets', [])],
    ['too much', 'RULES_TOO_LARGE', () => read('rulesets', ' '.repeat(rulesMaxBytes + 1))],
    [
      'a nest of lists',
      'INVALID_REQUEST',
      () => read('rulesets', `{"rules":${'['.repeat(9_999)}${']'.repeat(9_999)}}`),
    ],
  ])('is not %s', async (_, code, act) => {
    expect((await problemOf(act)).code).toBe(code);
  });
});

describe('the version that a change expects', () => {
  it.each([
    [{}, undefined],
    [{ ifMatch: '"3"' }, 3],
    [{ ifMatch: ' * ' }, 'any'],
    [{ ifNoneMatch: '*' }, 0],
  ])('of %j is %j', (headers, expected) => {
    expect(expectedVersionOf({ ifMatch: undefined, ifNoneMatch: undefined, ...headers })).toBe(expected);
  });

  it.each([
    { ifMatch: '3' },
    { ifMatch: 'W/"3"' },
    { ifMatch: '"0"' },
    { ifMatch: '"1", "2"' },
    { ifNoneMatch: '"1"' },
    { ifMatch: '*', ifNoneMatch: '*' },
  ])('of %j cannot be read, and is not passed over', async (headers) => {
    const act = () => expectedVersionOf({ ifMatch: undefined, ifNoneMatch: undefined, ...headers });
    expect((await problemOf(act)).code).toBe('INVALID_REQUEST');
  });
});
