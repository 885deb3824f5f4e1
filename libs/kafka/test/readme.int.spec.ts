import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RetryLater } from '@anabranch/failures';
import { eventually } from '@anabranch/test-support';
import { Registry } from 'prom-client';
import { createConsumer, createEventProducer, createSchemaRegistry } from '../src/index.js';
import { isMemberless } from './harness/group-state.js';
import { Platform } from './harness/platform.js';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');

/** The example, with the addresses and the group of this run. */
function exampleFor(config: object, group: string): string {
  const [, code = ''] = /```ts\n([\s\S]*?)```/.exec(readme) ?? [];
  const own = code
    .replace(/const config = \{.*\};/, `const config = ${JSON.stringify(config)};`)
    .replace("'anabranch.example'", JSON.stringify(group));
  if (!own.includes(group) || !own.includes(JSON.stringify(config))) throw new Error('The README has no such example.');
  return own;
}

describe('the example of the README', () => {
  let platform: Platform;

  beforeAll(async () => {
    platform = await Platform.start();
  });
  afterAll(() => platform.close());

  it('handles a document, waits when the model is busy, commits, and stops', async () => {
    const group = platform.uniqueGroup();
    const asked: string[] = [];
    let stop: (() => unknown) | undefined;
    const given = {
      createConsumer,
      createEventProducer,
      createSchemaRegistry,
      Registry,
      RetryLater,
      pino: () => platform.log,
      process: {
        once: (_: string, callback: () => unknown) => (stop = callback),
        exit: (code: number) => platform.fatal.push(code as never),
      },
      askSlowModel: (text: string) => {
        asked.push(text);
        return Promise.resolve({ isBusy: asked.length === 1, retryAfterMs: 10 });
      },
    };
    const AsyncFunction = (async () => {}).constructor as new (
      ...args: string[]
    ) => (...args: unknown[]) => Promise<void>;
    await new AsyncFunction(...Object.keys(given), exampleFor(platform.config, group))(...Object.values(given));

    await platform.publish('document', 'some text');
    await eventually(async () => (await platform.committed(group)).get(0) === 1);
    expect(asked).toEqual(['some text', 'some text']);
    // The example's own stop: afterwards nobody handles what comes.
    stop?.();
    await eventually(() => isMemberless(platform.config, group));
    expect(platform.fatal).toEqual([]);
  });
});
