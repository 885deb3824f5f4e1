// What starts, and when.
import { edit } from './edit.mjs';

/** @type {readonly import('./edit.mjs').Mutant[]} */
export const order = [
  {
    name: 'loses the wake-up of a retry',
    edits: [
      edit('dispatcher', '      this.queues.wake(work);\n      this.dispatch();', '      this.queues.wake(work);'),
    ],
  },
  {
    name: 'loses the wake-up after a yielded turn',
    edits: [edit('dispatcher', 'this.isYielding = false;\n    this.dispatch();', 'this.isYielding = false;')],
  },
  {
    name: 'loses a lane’s turn',
    edits: [
      edit(
        'turns',
        'if (line.isEmpty) this.retire(place);',
        'if (line.isEmpty || this.places.size > 1) this.retire(place);',
      ),
    ],
  },
  {
    name: 'loses the turn of a topic whose limit was reached',
    edits: [edit('turns', '    place.member.inFlight--;\n    this.list(place);', '    place.member.inFlight--;')],
  },
  {
    name: 'starts more of a topic than its limit',
    edits: [edit('turns', '!lanes.isEmpty && inFlight < maxInFlight', '!lanes.isEmpty')],
  },
  {
    name: 'starts two of one key',
    edits: [
      edit(
        'key-queues',
        'if (queue !== undefined) return this.pushBehind(queue, item);',
        "if (queue !== undefined && queue.state !== 'running') return this.pushBehind(queue, item);",
      ),
    ],
  },
  {
    name: 'takes a batch out of order',
    edits: [
      edit(
        'intake',
        'for (const record of records) this.records.push(record);',
        'for (const record of [...records].reverse()) this.records.push(record);',
      ),
    ],
  },
  {
    name: 'retries without holding the key',
    edits: [
      edit(
        'dispatcher',
        'this.queues.wait(work);\n      this.wakeAfter(ending.afterMs, work);',
        'this.queues.finish(work);\n      this.wakeAfter(ending.afterMs, work);',
      ),
      edit(
        'dispatcher',
        '      this.queues.wake(work);\n      this.dispatch();',
        '      this.queues.push(work);\n      this.dispatch();',
      ),
    ],
  },
  {
    name: 'starts more than may be in flight',
    edits: [edit('key-queues', 'if (this.slotsTaken >= this.maxInFlight) return undefined;', '')],
  },
  {
    name: 'leaks the slot of what waits',
    edits: [
      edit(
        'key-queues',
        "if (queue !== undefined) queue.state = 'waiting';",
        "if (queue !== undefined) queue.state = 'waiting';\n    if (queue !== undefined) this.slotsTaken++;",
      ),
    ],
  },
  {
    name: 'forgets what waits behind a fetched schema',
    edits: [edit('intake', '() => this.advance(),\n', '() => (this.isFetching = false),\n')],
  },
  {
    name: 'leaves a partition stalled when the registry is back',
    edits: [
      edit(
        'intake',
        '    this.pause.open();\n    this.options.onStall(this.epoch);',
        '    this.options.onStall(this.epoch);',
      ),
    ],
  },
  {
    name: 'does not take the slot back after a parking',
    edits: [
      edit(
        'key-queues',
        '    this.parked--;\n    this.startOutOfTurn(queue, item);',
        "    this.parked--;\n    queue.state = 'running';",
      ),
    ],
  },
  {
    name: 'runs two batches at a time',
    edits: [edit('record-batches', 'if (!isRunning) {', 'if (waiting.length > 0) {')],
  },
];
