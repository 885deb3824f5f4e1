import { setImmediate } from 'node:timers/promises';
import { afterAll, describe, expect, it } from '@jest/globals';
import { PoisonMessage } from '@anabranch/failures';
import { longTextLength } from '../src/document-analyser.js';
import { createHarness, createTestWorker, ingestedRecord } from '../src/testing/index.js';
import type { AnalysisWorker } from '../src/worker/analysis-worker.js';
import type { WorkerOptions } from '../src/worker/lazy-thread.js';
import { misbehaving } from './fixtures/misbehaving.analysis.js';

const workers: AnalysisWorker[] = [];
const workerOf = (options: WorkerOptions = {}): AnalysisWorker => {
  const worker = createTestWorker({ maxHeapMb: 48, ...options });
  workers.push(worker);
  return worker;
};
afterAll(() => Promise.all(workers.map((worker) => worker.stop())));

const stored = { key: 'tenant-1/result', sha256: 'a'.repeat(64), bytes: 1 };
const store = { get: () => Promise.reject(new Error('nothing is stored')), put: () => Promise.resolve(stored) };
const subjectOn = (worker: AnalysisWorker) => createHarness(misbehaving, { store, worker });
/** A document that is long enough for the worker thread, and makes the engine do what its first word says. */
const long = (word: string): string => `${word} ${'x'.repeat(longTextLength)}`;
// Reading the document takes a few; then the thread is at work.
const turnsBeforeAbort = 20;
const settle = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error);

describe('the worker thread', () => {
  it('answers several documents in turn', async () => {
    const subject = subjectOn(workerOf());
    const words = ['one', 'two', 'three'];
    const outcomes = await Promise.all(words.map((word) => subject.handle(ingestedRecord({ text: long(word) }))));
    expect(outcomes).toHaveLength(3);
    expect(subject.published.map(({ event }) => event.outcome.result)).toMatchObject(words.map((text) => ({ text })));
  }, 30_000);

  it.each([
    ['more memory', 'MEMORY', /^The analysis needed more memory for this document than 48 MB\. Send it in parts\.$/],
    ['more time', 'FOREVER', /^The analysis took longer for this document than 4 s\. Send it in parts\.$/],
  ])(
    'names it as the failure of that one document when it takes %s than it may, and serves the others',
    async (_name, word, message) => {
      const subject = subjectOn(workerOf({ timeLimitMs: word === 'FOREVER' ? 4_000 : 60_000 }));
      await subject.handle(ingestedRecord({ text: long('warm') }));
      const culprit = ingestedRecord({ text: long(word), documentId: 'culprit' });
      const [error, other] = await Promise.all([
        settle(subject.handle(culprit)),
        settle(subject.outcomeOf({ text: long('innocent') })),
      ]);
      expect(error).toBeInstanceOf(PoisonMessage);
      expect(error).toMatchObject({ code: 'LIMIT_EXCEEDED', message: expect.stringMatching(message) });
      expect(other).toMatchObject({ outcome: { status: 'DONE', result: { text: 'innocent' } } });
      await subject.settle(culprit, error);
      expect(subject.published.at(-1)?.event.outcome).toMatchObject({
        status: 'FAILED',
        failure: { code: 'LIMIT_EXCEEDED' },
      });
    },
    60_000,
  );

  it('reports a bug of the engine with its stack and without its message', async () => {
    const error = (await settle(subjectOn(workerOf()).handle(ingestedRecord({ text: long('BUG') })))) as Error;
    expect(error.message).toContain('TypeError');
    expect(error.stack).toContain('misbehaving.analysis');
    expect(`${error.message} ${error.stack}`).not.toContain('the text was');
  }, 30_000);

  it('reports a thread that ends by itself, and starts another', async () => {
    const subject = subjectOn(workerOf());
    const error = await settle(subject.handle(ingestedRecord({ text: long('EXIT') })));
    expect(error).toMatchObject({ message: 'The worker thread ended with code 3.' });
    expect((await subject.outcomeOf({ text: long('again') })).outcome.status).toBe('DONE');
  }, 30_000);

  it('lets go of a document at once when it is aborted, at work or waiting', async () => {
    const subject = subjectOn(workerOf());
    await subject.outcomeOf({ text: long('warm') });
    const abort = new AbortController();
    const reason = new Error('the partition was lost');
    const both = ['FOREVER', 'waiting'].map((word) =>
      settle(subject.handle(ingestedRecord({ text: long(word) }), abort.signal)),
    );
    for (let turn = 0; turn < turnsBeforeAbort; turn += 1) await setImmediate();
    abort.abort(reason);
    expect(await Promise.all(both)).toEqual([reason, reason]);
    expect((await subject.outcomeOf({ text: long('next') })).outcome.status).toBe('DONE');
  }, 30_000);

  it('ends when it has nothing to do, and starts again when it has', async () => {
    const subject = subjectOn(workerOf({ idleMs: 0 }));
    for (const word of ['one', 'two', 'three']) {
      expect((await subject.outcomeOf({ text: long(word) })).outcome.status).toBe('DONE');
      await setImmediate();
    }
  }, 30_000);
});

describe('a document that is not long', () => {
  it('never waits for the worker thread', async () => {
    const worker = { run: () => Promise.reject(new Error('asked for')), stop: () => Promise.resolve() };
    expect((await subjectOn(worker).outcomeOf({ text: 'short enough' })).outcome.status).toBe('DONE');
  });
});
