// How much of all bodies together is in memory. A body is held as bytes, then as text, until its request is answered; without
// a bound, a few large ones at the same time end the process.
import { Transform } from 'node:stream';
import { Problem } from './problem.js';

/** The part of the budget that one request has. */
export interface BudgetShare {
  /** False when there is not so much left; then nothing is taken. */
  take(bytes: number): boolean;
  /** Gives back all that was taken, for good: what is taken later is not counted. */
  release(): void;
}

/** Opens a share of one budget. */
export type BodyBudget = () => BudgetShare;

/** A budget of so many bytes for all shares together. */
export function createBodyBudget(maxBytes: number): BodyBudget {
  let held = 0;
  return () => {
    let own = 0;
    let isOpen = true;
    return {
      take: (bytes) => {
        if (!isOpen) return true;
        if (held + bytes > maxBytes) return false;
        held += bytes;
        own += bytes;
        return true;
      },
      release: () => {
        held -= own;
        own = 0;
        isOpen = false;
      },
    };
  };
}

const retryAfterSeconds = 2;

/** Passes a body on while the budget lasts, and fails with the problem OVERLOADED when it is spent. */
export function takingFrom(share: BudgetShare): Transform {
  return new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      if (share.take(chunk.length)) done(null, chunk);
      else done(overloaded());
    },
  });
}

function overloaded(): Problem {
  const detail =
    'Too many bytes are being received at the same time. Nothing was accepted: send the same request again later.';
  return new Problem('OVERLOADED', detail, { headers: { 'retry-after': String(retryAfterSeconds) } });
}
