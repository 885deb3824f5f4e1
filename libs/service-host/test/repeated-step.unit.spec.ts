import { describe, expect, test } from '@jest/globals';
import { repeatStep } from '../src/repeated-step.js';
import type { ServiceContext } from '../src/service.js';

function host() {
  const warnings: object[] = [];
  const closers: (() => void | Promise<void>)[] = [];
  const context = {
    log: { warn: (fields: object) => warnings.push(fields) },
    onClose: (close: () => void | Promise<void>) => void closers.push(close),
  } as unknown as Pick<ServiceContext, 'log' | 'onClose'>;
  const close = async (): Promise<void> => {
    for (const each of closers) await each();
  };
  return { context, warnings, close };
}

describe('a repeated step', () => {
  test('that fails in one way is told once, and is tried again', async () => {
    const { context, warnings, close } = host();
    const { promise, resolve } = Promise.withResolvers<void>();
    let runs = 0;
    const run = (): Promise<void> => {
      runs += 1;
      if (runs === 4) resolve();
      return Promise.reject(new Error(runs < 3 ? 'the first way' : 'another way'));
    };
    repeatStep(context, { name: 'step', everyMs: 1, run });
    await promise;
    await close();
    expect(warnings).toMatchObject([
      { step: 'step', err: { message: 'the first way' } },
      { step: 'step', err: { message: 'another way' } },
    ]);
  });

  test('ends with the service, which waits for the one that runs', async () => {
    const { context, close } = host();
    const { promise, resolve } = Promise.withResolvers<void>();
    let runs = 0;
    const run = (): Promise<void> => {
      runs += 1;
      return promise;
    };
    repeatStep(context, { name: 'step', everyMs: 1, run });
    const closed = close().then(() => 'closed');
    expect(await Promise.race([closed, Promise.resolve('waits')])).toBe('waits');
    resolve();
    expect(await closed).toBe('closed');
    expect(runs).toBe(1);
  });
});
