// Outages, tries, and what becomes of what fails.
import { edit } from './edit.mjs';

/** @type {readonly import('./edit.mjs').Mutant[]} */
export const failures = [
  {
    name: 'loses what waited for the dependency',
    edits: [edit('dependency-gate', '    this.options.release(released);\n', '    released.length = 0;\n')],
  },
  {
    name: 'burns tries while a dependency is down',
    edits: [
      edit(
        'next-step',
        "return { kind: 'pause', dependency: (error as DependencyUnavailable).dependency, error };",
        "return { kind: 'retry', afterMs: 400, attempts: countFailure(attempts, now), error };",
      ),
    ],
  },
  {
    name: 'is done with a record that could not be settled',
    edits: [
      edit(
        'work-runner',
        "return { kind: 'retry', afterMs: random() * backoffMs(retry, work.failedSettlements), error };",
        "return { kind: 'done' };",
      ),
    ],
  },
  {
    name: 'lets an outage’s probe start without a slot',
    edits: [edit('key-queues', "    if (!this.hasSlot(item)) return 'full';\n", '')],
  },
  {
    name: 'forgets the probe that waits for a slot',
    edits: [edit('dispatcher', '    this.gate.onSlotFreed();\n', '')],
  },
  {
    name: 'dead-letters what was refused',
    edits: [
      edit('next-step', 'return settle(error, counted, { deadLetter: false });', 'return settle(error, counted);'),
    ],
  },
  {
    name: 'is done before a deferral is written down',
    edits: [edit('work-runner', 'await this.options.defer?.(', 'void this.options.defer?.(')],
  },
  {
    name: 'does in place what is to be deferred',
    edits: [edit('next-step', 'if (!isBug && failure.canDefer &&', 'if (isBug && failure.canDefer &&')],
  },
  {
    name: 'lets a second probe through beside one that runs',
    edits: [
      edit(
        'intake-pause',
        "if (this.state !== 'open') return undefined;",
        "if (this.state === 'closed') return undefined;",
      ),
    ],
  },
  {
    name: 'takes the end of any record for the probe’s',
    edits: [edit('dependency-gate', 'if (work === this.probe) this.open();', 'if (!this.isOpen) this.open();')],
  },
  {
    name: 'tries a record however old it is',
    edits: [
      edit(
        'retry-schedule',
        'return age > policy.maxAgeMs ? undefined : waitMs;',
        'return age < 0 ? undefined : waitMs;',
      ),
    ],
  },
  {
    name: 'forgets when a record failed first',
    edits: [edit('retry-schedule', 'firstFailedAt: attempts?.firstFailedAt ?? now,', 'firstFailedAt: now,')],
  },
  {
    name: 'gives a record up one try early',
    edits: [
      edit(
        'retry-schedule',
        'if (attempts.failed >= maxAttempts) return undefined;',
        'if (attempts.failed >= maxAttempts - 1) return undefined;',
      ),
    ],
  },
  {
    name: 'sends an acknowledged dead letter again',
    edits: [edit('work-runner', '        work.isDeadLettered = true;\n', '')],
  },
  {
    name: 'does not wait until a dead letter is acknowledged',
    edits: [edit('work-runner', 'await sendDeadLetter(', 'void sendDeadLetter(')],
  },
  {
    name: 'blames a whole batch for one record',
    edits: [edit('record-batches', 'if (isShared || batch.length === 1)', 'if (isShared || batch.length > 0)')],
  },
  {
    name: 'forgets a half of a batch that failed',
    edits: [edit('record-batches', '    await handle(batch.slice(middle));\n', '')],
  },
];
