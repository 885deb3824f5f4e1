// What is whose, and how much of it is held.
import { edit } from './edit.mjs';

/** @type {readonly import('./edit.mjs').Mutant[]} */
export const ownership = [
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
    name: 'skips the drain',
    edits: [edit('consumer-runtime', '    await this.drain(deadlineMs);\n', '')],
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
    name: 'goes on when its client has given up',
    edits: [
      edit(
        'consumer-runtime',
        'onBatch: (batch) => this.take(batch),\n      onFatal: (error) => this.fail(error),',
        'onBatch: (batch) => this.take(batch),\n      onFatal: () => {},',
      ),
    ],
  },
  {
    name: 'gives a batch what was lost while it waited',
    edits: [edit('record-batches', 'planned.filter(({ signal }) => !signal.aborted)', '[...planned]')],
  },
];
