// The faults that the simulation has to find: each a change of a few words that a reviewer could overlook.

/**
 * @typedef {object} Edit
 * @property {string} file below libs/kafka/src
 * @property {string} find must occur exactly once
 * @property {string} replace
 *
 * @typedef {object} Mutant
 * @property {string} name
 * @property {readonly Edit[]} edits
 */

/** @type {(file: string, find: string, replace: string) => Edit} */
const edit = (file, find, replace) => ({ file: `consumer/${file}.ts`, find, replace });

/** @type {readonly Mutant[]} */
export const mutants = [
  {
    name: 'commits the highest offset, not the contiguous one',
    edits: [
      edit('offset-window', 'return oldest ?? this.next;', 'return oldest === undefined ? this.next : this.next;'),
    ],
  },
  {
    name: 'forgets that a pause outlives the loss of a partition',
    edits: [
      edit(
        'consumer-runtime',
        'this.flow.apply(epoch, this.shouldPause(epoch));',
        'this.flow.set(epoch, this.shouldPause(epoch));',
      ),
    ],
  },
  {
    name: 'never pauses a full partition',
    edits: [edit('partition-epoch', 'this.full = this.full ? share > 0.5 : share >= 1;', 'this.full = share > 1_000;')],
  },
  {
    name: 'ignores the epoch of what ends',
    edits: [edit('dispatcher', '!work.epoch.isCurrent || ', '')],
  },
  {
    name: 'commits after the loss',
    edits: [edit('consumer-runtime', 'private lose(): void {\n    this.assign([]);', 'private lose(): void {')],
  },
  {
    name: 'keeps the queue of a lost partition',
    edits: [edit('consumer-runtime', '      this.dispatcher.drop(epoch.lane);\n', '')],
  },
  {
    name: 'loses the wake-up of a retry',
    edits: [
      edit('dispatcher', '      this.queues.wake(work);\n      this.dispatch();', '      this.queues.wake(work);'),
    ],
  },
  {
    name: 'loses the wake-up after a yielded turn',
    edits: [
      edit(
        'dispatcher',
        'this.turnStartedAt = this.options.clock.now();\n      this.dispatch();',
        'this.turnStartedAt = this.options.clock.now();',
      ),
    ],
  },
  {
    name: 'loses what waited for the dependency',
    edits: [edit('dependency-gate', '    this.options.release(released);\n', '    released.length = 0;\n')],
  },
  {
    name: 'loses a lane’s turn',
    edits: [
      edit('turns', 'if (line.isEmpty) this.drop(name);', 'if (line.isEmpty || this.places.size > 1) this.drop(name);'),
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
    name: 'skips the drain',
    edits: [edit('consumer-runtime', '    await this.drain(deadlineMs);\n', '')],
  },
  {
    name: 'starts two of one key',
    edits: [
      edit(
        'key-queues',
        'if (queue !== undefined) return queue.items.push(item);',
        "if (queue !== undefined && queue.state !== 'running') return queue.items.push(item);",
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
    name: 'handles records again that were fetched again',
    edits: [edit('offset-window', 'if (this.next !== undefined && offset < this.next) return false;', '')],
  },
  {
    name: 'trusts stale metadata of a kept partition',
    edits: [edit('partition-epoch', 'if (!this.isRestored) this.window.restore', 'this.window.restore')],
  },
  {
    name: 'ignores the metadata of the commit',
    edits: [
      edit(
        'partition-epoch',
        'this.window.restore(offset, decodeStretches(offset, metadata))',
        'this.window.restore(offset, [])',
      ),
    ],
  },
  {
    name: 'lets a batch that was fetched again set the window back',
    edits: [
      edit('offset-window', 'this.next = Math.max(this.next ?? 0, lastOffset + 1);', 'this.next = lastOffset + 1;'),
    ],
  },
  {
    name: 'repeats a failed commit as it was, lower than a later one',
    edits: [
      edit(
        'commit-loop',
        'this.options.onFailed(error);',
        'this.options.clock.after(4 * this.options.intervalMs, () => void this.send(due));',
      ),
    ],
  },
  {
    name: 'does not pass over what nobody sees',
    edits: [edit('partition-epoch', '    this.window.passOver(batch.lastOffset);\n', '')],
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
    name: 'starts more than may be in flight',
    edits: [edit('key-queues', 'if (this.slotsTaken >= this.maxInFlight) return undefined;', '')],
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
    name: 'does not commit when a rebalance begins',
    edits: [edit('consumer-runtime', 'onRevoking: () => void this.commit(),', 'onRevoking: () => {},')],
  },
  {
    name: 'does not commit when it stops',
    edits: [edit('consumer-runtime', '    await this.within(deadlineMs * 0.05, this.commit());\n', '')],
  },
  {
    name: 'waits for nothing when it stops',
    edits: [edit('dispatcher', 'if (this.queues.started > 0) await new Promise', 'await new Promise')],
  },
  {
    name: 'does not free the bytes of what is finished',
    edits: [edit('partition-epoch', '    this.bytes -= bytesOf(record);\n', '')],
  },
  {
    name: 'tells no handler of the loss',
    edits: [edit('partition-epoch', '    this.interrupt(`partition ${this.lane} was lost`);\n', '')],
  },
  {
    name: 'dead-letters what was refused',
    edits: [
      edit('next-step', 'return settle(error, counted, { deadLetter: false });', 'return settle(error, counted);'),
    ],
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
    name: 'is done before a deferral is written down',
    edits: [edit('work-runner', 'await this.options.defer?.(', 'void this.options.defer?.(')],
  },
  {
    name: 'does in place what is to be deferred',
    edits: [edit('next-step', 'if (!isBug && failure.canDefer &&', 'if (isBug && failure.canDefer &&')],
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
];
