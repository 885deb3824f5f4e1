import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseJson } from '../src/documents/json-body.js';
import { brokenBound } from '../src/documents/json-shape.js';
import { Problem } from '../src/http/problem.js';

const roomy = { maxDepth: 1_000_000, maxMembers: 1_000_000 };
const bytesOf = (value: unknown) => Buffer.from(JSON.stringify(value));

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Object.values(value).reduce<number>((deepest, inner) => Math.max(deepest, depthOf(inner)), 0);
}

function membersOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const members = Object.values(value);
  return Math.max(1, members.length) + members.reduce<number>((sum, inner) => sum + membersOf(inner), 0);
}

function problemOf(body: string, maxMembers?: number): Problem {
  try {
    parseJson(Buffer.from(body), undefined, maxMembers);
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
  throw new Error('No problem was thrown.');
}

describe('JSON is measured before it is parsed', () => {
  it('as deep and as large as it is, whatever its strings hold', () => {
    const string = fc.oneof(fc.string(), fc.constantFrom('[[[', '}', '\\', '"', '\\"[', ',,,'));
    const { array: anyJson } = fc.letrec((tie) => ({
      value: fc.oneof({ maxDepth: 6 }, string, fc.integer(), tie('array'), tie('object')),
      array: fc.array(tie('value'), { maxLength: 4 }),
      object: fc.dictionary(string, tie('value'), { maxKeys: 4 }),
    }));
    fc.assert(
      fc.property(anyJson, (value) => {
        const [depth, members] = [depthOf(value), membersOf(value)];
        const bytes = bytesOf(value);
        expect(brokenBound(bytes, { ...roomy, maxDepth: depth })).toBeNull();
        expect(brokenBound(bytes, { ...roomy, maxMembers: members })).toBeNull();
        expect(brokenBound(bytes, { ...roomy, maxDepth: depth - 1 })).toBe('maxDepth');
        expect(brokenBound(bytes, { ...roomy, maxMembers: members - 1 })).toBe('maxMembers');
      }),
    );
  });

  it('and any bytes are measured to their end', () => {
    fc.assert(fc.property(fc.uint8Array(), (bytes) => brokenBound(bytes, roomy) === null));
    expect(brokenBound(Buffer.from('"\\'), roomy)).toBeNull();
  });

  it.each([
    ['[', ']'],
    ['{"a":', '}'],
  ])('so that millions of %s do not reach the parser', (open, close) => {
    const deep = `{"text":${open.repeat(2_000_000)}0${close.repeat(2_000_000)}}`;
    const problem = problemOf(deep);
    expect(problem.toBody('/')).toMatchObject({ status: 400, code: 'INVALID_REQUEST', maxDepth: 32 });
    expect(problem.detail).toContain('nested deeper than 32 levels');
  });

  it('so that millions of members do not, either', () => {
    const problem = problemOf(`{"text":[${'{},'.repeat(3_000_000)}{}]}`);
    expect(problem.toBody('/')).toMatchObject({ status: 400, code: 'INVALID_REQUEST', maxMembers: 500_000 });
    expect(problem.detail).toContain('more than 500000 members');
    expect(problemOf('[1,2,3]', 2).code).toBe('INVALID_REQUEST');
    expect(parseJson(Buffer.from('[1,2,3]'), undefined, 3)).toEqual([1, 2, 3]);
  });

  it('and a text may be all brackets, as long as it is', () => {
    const text = `${'[{"\\'.repeat(100_000)}`;
    expect(parseJson(bytesOf({ text }))).toEqual({ text });
  });
});
