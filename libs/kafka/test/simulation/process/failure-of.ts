import { DependencyUnavailable, PoisonMessage, Refused, RetryLater } from '@anabranch/failures';
import type { PlannedRecord } from '../schedule.js';
import type { World } from './world.js';

/** How a try of a record fails, if it does. */
export function failureOf(plan: PlannedRecord, attempt: number, world: World): Error | undefined {
  const { behaviour, usesDependency } = plan;
  if ((usesDependency || world.schedule.allUseDependency) && world.isOut('dependency')) {
    return new DependencyUnavailable('postgres', 'down');
  }
  if (behaviour === 'succeeds' || (behaviour.endsWith('once') && attempt > 1)) return undefined;
  if (behaviour === 'is poison') return new PoisonMessage('CONTENT_MISSING', 'gone');
  if (behaviour === 'is refused') return new Refused('NO_CONTENT', 'empty');
  if (behaviour.startsWith('has a bug')) return new Error('a bug');
  if (behaviour.includes('far later')) return new RetryLater('busy', { afterMs: 60_000 });
  return new RetryLater('busy', { afterMs: world.random.integer(0, 500) });
}

/** The least wait that a failure of the record's own asks for; undefined when the record is not to blame. */
export function askedWaitMs(error: Error): number | undefined {
  if (error instanceof DependencyUnavailable) return undefined;
  return error instanceof RetryLater ? error.afterMs : 0;
}
