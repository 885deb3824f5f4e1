// The faults that the simulation has to find: each a change of a few words that a reviewer could overlook.
import { commits } from './faults/commits.mjs';
import { failures } from './faults/failures.mjs';
import { order } from './faults/order.mjs';
import { ownership } from './faults/ownership.mjs';
import { suspects } from './faults/suspects.mjs';

/** @type {readonly import('./faults/edit.mjs').Mutant[]} */
export const mutants = [...commits, ...ownership, ...order, ...failures, ...suspects];
