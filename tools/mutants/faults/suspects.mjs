// Records that end their process.
import { edit } from './edit.mjs';

/** @type {readonly import('./edit.mjs').Mutant[]} */
export const suspects = [
  {
    name: 'never condemns a record that ends its process',
    edits: [edit('suspicion', 'return counted.exits < maxExits ? counted :', 'return counted.exits > 0 ? counted :')],
  },
  {
    name: 'condemns what was in flight with a record that ends its process',
    edits: [edit('suspicion', "exits: 0, stage: 'try', restMs: 0 }", "exits: 0, stage: 'bury', restMs: 0 }")],
  },
  {
    name: 'does not write down who is suspected',
    edits: [
      edit(
        'partition-epoch',
        'const hasMoreToSay = this.isInDoubt || this.hasFinishedAbove || this.suspicion !== this.carriedSuspicion;',
        'const hasMoreToSay = this.isInDoubt || this.hasFinishedAbove;',
      ),
    ],
  },
  {
    name: 'never gives back what it held while it tried suspects',
    edits: [edit('suspect-trial', 'this.options.push(epoch, takeBelow(records, Number.POSITIVE_INFINITY));', '')],
  },
  {
    name: 'tries the same half again',
    edits: [
      edit(
        'suspicion',
        'const half = open.boundOf(Math.ceil(open.countBelow(halvedEnd) / 2));',
        'const half = halvedEnd;',
      ),
    ],
  },
];
