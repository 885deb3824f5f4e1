import { DependencyUnavailable } from '@anabranch/failures';
import type { HandlerContext, IncomingRecord, RecordHandler } from '../../../src/incoming-record.js';
import { inBatches } from '../../../src/consumer/record-batches.js';
import type { PlannedRecord } from '../schedule.js';
import { askedWaitMs, failureOf } from './failure-of.js';
import type { ProcessContext } from './world.js';

/** What a dead process answers: one for each, since what waits for a promise lives as long as that does. */
export const never = (): Promise<never> => new Promise(() => {});

/** Sees to it that the ledger learns of every try of a record. */
export function watched(context: ProcessContext, handler: RecordHandler<unknown>): RecordHandler<unknown> {
  const { name, tries, world } = context;
  const { handling } = world.ledger;
  return async (record, handlerContext) => {
    if (!context.isAlive) return never();
    const { signal, attempt } = handlerContext;
    const tenure = context.tenureOf(record);
    let isRunning = true;
    handling.start(tenure, record, { process: name, attempt });
    tries.begin(tenure, record);
    world.timeline.spend(world.schedule.startMs);
    signal.addEventListener('abort', () => {
      if (isRunning) handling.abort(tenure, record, context.isStopOverdue);
    });
    const end = (error: Error | undefined): void => {
      isRunning = false;
      handling.end(record, name);
      tries.end(tenure, record, error instanceof DependencyUnavailable && !signal.aborted);
      if (context.isAlive) handling.told(tenure, record, signal);
      if (error === undefined) return handling.finish(tenure, record, 'handled');
      const askedMs = askedWaitMs(error);
      if (askedMs !== undefined) handling.fail(tenure, record, askedMs);
    };
    try {
      await handler(record, handlerContext);
      end(undefined);
    } catch (error) {
      end(error as Error);
      throw error;
    }
  };
}

/** A handler that does with each record what is planned for it. */
export function oneByOne(context: ProcessContext): RecordHandler<unknown> {
  const { world } = context;
  return async (record, handlerContext) => {
    const plan = world.planOf(record);
    if (plan.parks) await parkFor(world.random.between(1, 800), { context, record, handlerContext });
    await workFor(context, { plans: [plan], signal: handlerContext.signal });
    if (plan.behaviour === 'ends its process') await context.crash();
    const failure = failureOf(plan, handlerContext.attempt, world);
    if (failure !== undefined) throw failure;
  };
}

/** A handler of batches that does with all records what is planned for them, and fails when one of them has to. */
export function severalAtOnce(context: ProcessContext, maxRecords: number): RecordHandler<unknown> {
  const { world, name } = context;
  const attempts = new Map<string, number>();
  let isBusy = false;
  const handler = inBatches<unknown>(
    async (records, { signal }) => {
      if (!context.isAlive) return never();
      const { ledger } = world;
      if (isBusy) ledger.note('one batch at a time', `${name} handles another one`);
      isBusy = true;
      checkBatch(context, records, maxRecords);
      const plans = records.map((record) => world.planOf(record));
      try {
        await workFor(context, { plans, signal });
        if (plans.some(({ behaviour }) => behaviour === 'ends its process')) await context.crash();
        for (const [index, plan] of plans.entries()) {
          const failure = failureOf(plan, attempts.get(nameOf(records[index]!)) ?? 1, world);
          if (failure !== undefined) throw failure;
        }
      } finally {
        isBusy = false;
      }
    },
    { maxRecords },
  );
  return (record, handlerContext) => {
    attempts.set(nameOf(record), handlerContext.attempt);
    return handler(record, handlerContext);
  };
}

function checkBatch(context: ProcessContext, records: readonly IncomingRecord[], maxRecords: number): void {
  const { world, name } = context;
  const { ledger } = world;
  const keys = new Set(records.map(({ topic, key }) => `${topic}/${String(key)}`));
  if (keys.size < records.length) ledger.note('one key never overlaps', `${name} has two records of one in a batch`);
  if (records.length > maxRecords) ledger.note('a batch is bounded', `${name} has one of ${records.length} records`);
  if (records.length === 0) ledger.note('a batch has records', `${name} has one without`);
  const lost = records.filter((record) => !context.tenureOf(record).isCurrent);
  if (lost.length > 0) ledger.note('nothing starts after the loss', `${name} has ${lost.length} of those in a batch`);
}

interface Parking {
  readonly context: ProcessContext;
  readonly record: IncomingRecord;
  readonly handlerContext: HandlerContext;
}

/** Meanwhile others have the slot. */
async function parkFor(ms: number, { context, record, handlerContext }: Parking): Promise<void> {
  const wait = Promise.withResolvers<void>();
  const tenure = context.tenureOf(record);
  context.after(ms, wait.resolve);
  context.tries.park(tenure, record);
  await handlerContext.park(wait.promise);
  context.tries.comeBack(tenure, record);
}

interface Task {
  readonly plans: readonly PlannedRecord[];
  readonly signal: AbortSignal;
}

/** Takes as long as the longest needs; or less, when one of them listens to what it is told. */
function workFor({ world, after }: ProcessContext, { plans, signal }: Task): Promise<void> {
  const longestMs = Math.max(...plans.map(({ durationMs }) => durationMs));
  if (longestMs === 0) return Promise.resolve();
  const work = Promise.withResolvers<void>();
  const interrupt = () => after(1, () => work.reject(new Error('told to end')));
  if (plans.some(({ heedsSignal }) => heedsSignal)) {
    if (signal.aborted) interrupt();
    else signal.addEventListener('abort', interrupt, { once: true });
  }
  after(world.random.between(0.5, 1) * longestMs, work.resolve);
  return work.promise;
}

function nameOf(record: IncomingRecord): string {
  return `${String(record.headers[0]?.[1])} ${record.topic}/${record.partition}@${record.offset}`;
}
