import { describe, expect, test } from '@jest/globals';
import { NodeChild } from '../src/child-process.js';

function evaluate(source: string, env?: Record<string, string>): NodeChild {
  return NodeChild.start({ args: ['--eval', source], ...(env && { env }) });
}

describe('a process under test', () => {
  test('can be waited for line by line, until it ends when its input closes', async () => {
    const child = evaluate('console.log(`{"msg":"up"}`); process.stdin.on("end", () => process.exit(3)).resume()');
    expect(await child.message('up')).toEqual({ msg: 'up' });
    child.closeInput();
    expect(await child.exit).toEqual({ code: 3, signal: null });
  });

  test('that ends without the awaited line fails the wait with all it wrote', async () => {
    const child = evaluate('console.log(`{"msg":"other"}`); console.error("broken")');
    await expect(child.message('up')).rejects.toThrow(/ended without the awaited line\n{"msg":"other"}\nbroken/);
  });

  test('gets the environment that the spec gives, not that of the test run', async () => {
    const child = evaluate('console.log(JSON.stringify({ msg: "up", env: process.env }))', { GIVEN: '1' });
    expect(Object.keys((await child.message('up'))['env'] as object).sort()).toEqual(['GIVEN', 'HOME', 'PATH']);
  });
});
