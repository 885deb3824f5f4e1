// How much of all bodies together is in memory. A body is held as bytes, then as text, until its request is answered; without
// a bound, a few large ones at the same time end the process.
import { Transform } from 'node:stream';
import type { Problem } from './problem.js';

/** What there is not enough left of: all that is received, or what one tenant may have of it. */
export type Spent = 'all' | 'tenant';

/** The part of the budget that one request has. */
export interface BudgetShare {
  /** Null when so much is taken; else nothing is. */
  take(bytes: number): Spent | null;
  /** Gives back all that was taken, for good: what is taken later is not counted. */
  release(): void;
}

/** Opens a share of one budget, for a tenant. */
export type BodyBudget = (tenantId: string) => BudgetShare;

/** Bytes at a time. */
export interface BodyLimits {
  /** Of all shares together. */
  readonly all: number;
  /** Of the shares of one tenant together, so that one alone cannot shut the door for the others. */
  readonly ofTenant: number;
}

/** A budget of so many bytes for all shares together. */
export function createBodyBudget({ all, ofTenant }: BodyLimits): BodyBudget {
  let held = 0;
  const heldBy = new Map<string, number>();
  const add = (tenantId: string, bytes: number): void => {
    held += bytes;
    const left = (heldBy.get(tenantId) ?? 0) + bytes;
    if (left > 0) heldBy.set(tenantId, left);
    else heldBy.delete(tenantId);
  };
  return (tenantId) => {
    let own = 0;
    let isOpen = true;
    return {
      take: (bytes) => {
        if (!isOpen) return null;
        if ((heldBy.get(tenantId) ?? 0) + bytes > ofTenant) return 'tenant';
        if (held + bytes > all) return 'all';
        add(tenantId, bytes);
        own += bytes;
        return null;
      },
      release: () => {
        add(tenantId, -own);
        own = 0;
        isOpen = false;
      },
    };
  };
}

/** Passes a body on while the budget lasts, and fails with what `refuse` makes of it when it is spent. */
export function takingFrom(share: BudgetShare, refuse: (spent: Spent) => Problem): Transform {
  return new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      const spent = share.take(chunk.length);
      if (spent === null) done(null, chunk);
      else done(refuse(spent));
    },
  });
}
