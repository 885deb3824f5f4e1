import { DependencyUnavailable } from '@anabranch/failures';
import type { BrokerRecord } from '../../../src/broker-port.js';
import type { WorkRunnerOptions } from '../../../src/consumer/work-runner.js';
import { placeOf } from '../ledger/note.js';
import type { Outage, PlannedRecord } from '../schedule.js';
import { never } from './simulated-handler.js';
import type { ProcessContext } from './world.js';

export type SettlementPorts = Required<Pick<WorkRunnerOptions, 'sendDeadLetter' | 'onSettled' | 'defer'>>;

/** Where records end that are not handled: dead letters, outcomes, deferrals. */
export function createPorts(context: ProcessContext): SettlementPorts {
  const { world } = context;
  const { ledger, written } = world;
  const publish = (record: BrokerRecord, what: Outage, onWritten: () => void) =>
    tried(context, record, () => write(context, what, onWritten));

  return {
    sendDeadLetter: async (record) => {
      if (!context.isAlive) return never();
      const tenure = context.tenureOf(record);
      ledger.handling.bury(tenure, record);
      await publish(record, 'dead letters', () => written['dead letter'].add(placeOf(record)));
      tenure.buried.add(record.offset);
      // What cannot be read has no outcome: its dead letter is its end.
      if (isUnreadable(world.planOf(record))) ledger.handling.finish(tenure, record, 'dead letter');
    },
    onSettled: async (record, { code }) => {
      const tenure = context.tenureOf(record);
      const isRefusal = code === 'NO_CONTENT';
      if (!isRefusal && !tenure.buried.has(record.offset)) {
        ledger.note('the dead letter comes first', `${placeOf(record)} has its outcome before`);
      }
      await publish(record, 'outcomes', () => {});
      ledger.handling.finish(tenure, record, isRefusal ? 'refusal' : 'dead letter');
    },
    defer: async (record) => {
      await publish(record, 'deferrals', () => written.deferral.add(placeOf(record)));
      ledger.handling.finish(context.tenureOf(record), record, 'deferral');
    },
  };
}

function isUnreadable({ encoding, behaviour }: PlannedRecord): boolean {
  return encoding === 'garbage' || encoding === 'unknown' || behaviour === 'ends its process when it is read';
}

/** It holds the slot of its record, and an outage that it meets is one for all. */
async function tried(context: ProcessContext, record: BrokerRecord, work: () => Promise<void>): Promise<void> {
  const tenure = context.tenureOf(record);
  context.tries.begin(tenure, record);
  try {
    await work();
    context.tries.end(tenure, record, false);
  } catch (error) {
    context.tries.end(tenure, record, error instanceof DependencyUnavailable);
    throw error;
  }
}

/** The request may be lost, or the response to what was written: then it is sent, and written, again. */
function write({ world, after }: ProcessContext, what: Outage, onWritten: () => void): Promise<void> {
  const answer = Promise.withResolvers<void>();
  const { random } = world;
  after(random.between(0.5, 60), () => {
    const isOut = world.isOut(what);
    if (!isOut || random.chance(0.5)) onWritten();
    if (!isOut) answer.resolve();
    else answer.reject(random.chance(0.5) ? new DependencyUnavailable('kafka', 'down') : new Error('refused'));
  });
  return answer.promise;
}
