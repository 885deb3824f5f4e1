// What is committed, and where a partition goes on.
import { edit } from './edit.mjs';

/** @type {readonly import('./edit.mjs').Mutant[]} */
export const commits = [
  {
    name: 'commits the highest offset, not the contiguous one',
    edits: [
      edit('offset-window', 'return oldest ?? this.next;', 'return oldest === undefined ? this.next : this.next;'),
    ],
  },
  {
    name: 'handles records again that were fetched again',
    edits: [edit('offset-window', 'if (this.next !== undefined && offset < this.next) return false;', '')],
  },
  {
    name: 'trusts stale metadata of a kept partition',
    edits: [
      edit(
        'partition-epoch',
        'if (this.isRestored) this.window.passOver(offset - 1);\n    else this.restoreFrom',
        'this.restoreFrom',
      ),
    ],
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
    name: 'does not commit when a rebalance begins',
    edits: [edit('consumer-runtime', 'onRevoking: () => void this.commit(),', 'onRevoking: () => {},')],
  },
  {
    name: 'does not commit when it stops',
    edits: [edit('consumer-runtime', '    await within(clock, commitBy - clock.now(), this.commitAll());\n', '')],
  },
  {
    name: 'believes that the group has committed where it goes on',
    edits: [
      edit('partition-epoch', 'this.committed = committed ?? this.committed ?? offset;', 'this.committed = offset;'),
    ],
  },
  {
    name: 'never puts right what was set back',
    edits: [
      edit(
        'partition-epoch',
        'this.committed = committed ?? this.committed ?? offset;',
        'this.committed ??= committed ?? offset;',
      ),
      edit('partition-epoch', '    this.isInDoubt = this.isRestored;\n', ''),
    ],
  },
  {
    name: 'waits for what was removed from the log',
    edits: [
      edit(
        'partition-epoch',
        'if (this.isRestored) this.window.passOver(offset - 1);\n    else this.restoreFrom',
        'if (!this.isRestored) this.restoreFrom',
      ),
    ],
  },
  {
    name: 'goes on in silence where records were removed',
    edits: [edit('kafkajs/expired-offsets', "if (options.policy === 'stop') {", 'if (options.policy === undefined) {')],
  },
  {
    name: 'does not say what it goes on without',
    edits: [edit('kafkajs/expired-offsets', 'options.log.error(', 'options.log.debug(')],
  },
  {
    name: 'goes on behind the end of a log that was cut',
    edits: [edit('kafkajs/expired-offsets', 'if (wanted > high) {', 'if (wanted > 2 * high + 1_000) {')],
  },
  {
    name: 'takes what follows in a log that was cut for what was there',
    edits: [
      edit('partition-epoch', 'if (knownEnd <= endOffset) return;', 'if (knownEnd <= 2 * endOffset + 1_000) return;'),
    ],
  },
];
