import { PoisonMessage } from '@anabranch/failures';
import { isDuplicateRow, isInvalidData, sqlStateOf } from './failures.js';

/** Something of a batch is locked by a transaction that takes its time. */
export class RowHeld extends Error {
  override readonly name = 'RowHeld';
}

/**
 * Works a batch; where Postgres refuses its data, halves it until the one item that is to blame stands alone, as
 * `PoisonMessage` (semantics §8). A row that was there already, or is held, is found in the same way, and stays the error
 * that it is: one bug, or one slow transaction, must not fail the batch, and is not the data's fault. Every other failure is
 * the whole batch's, and is thrown.
 */
export async function bisect<T, R>(
  items: readonly T[],
  run: (items: readonly T[]) => Promise<readonly (R | Error)[]>,
): Promise<readonly (R | Error)[]> {
  try {
    return await run(items);
  } catch (error) {
    if (!isInvalidData(error) && !isDuplicateRow(error) && !(error instanceof RowHeld)) throw error;
    if (items.length === 1) return [isInvalidData(error) ? asPoison(error) : (error as Error)];
    const middle = items.length >> 1;
    const first = await bisect(items.slice(0, middle), run);
    return [...first, ...(await bisect(items.slice(middle), run))];
  }
}

/** Postgres' own message may quote the value, so only its code is told. */
function asPoison(error: unknown): PoisonMessage {
  return new PoisonMessage('INVALID_EVENT', `The database cannot hold a value of this event (${sqlStateOf(error)}).`, {
    cause: error,
  });
}
