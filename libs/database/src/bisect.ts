import { PoisonMessage } from '@anabranch/failures';
import { isDuplicateRow, isInvalidData, sqlStateOf } from './failures.js';

/**
 * Works a batch; where Postgres refuses its data, halves it until the one item that is to blame stands alone, as
 * `PoisonMessage` (semantics §8). A row that was there already is found in the same way, and stays the error that it is:
 * one bug must not fail the batch, and is not the data's fault. Every other failure is the whole batch's, and is thrown; of a
 * batch that was halved it is that half's alone, because the other one may be committed.
 */
export async function bisect<T, R>(
  items: readonly T[],
  run: (items: readonly T[]) => Promise<readonly (R | Error)[]>,
): Promise<readonly (R | Error)[]> {
  try {
    return await run(items);
  } catch (error) {
    if (!isInvalidData(error) && !isDuplicateRow(error)) throw error;
    if (items.length === 1) return [isInvalidData(error) ? asPoison(error) : (error as Error)];
    const middle = items.length >> 1;
    const work = (half: readonly T[]): Promise<readonly (R | Error)[]> =>
      bisect(half, run).catch((failure: unknown) => half.map(() => failure as Error));
    const first = await work(items.slice(0, middle));
    return [...first, ...(await work(items.slice(middle)))];
  }
}

/** Postgres' own message may quote the value, so only its code is told. */
function asPoison(error: unknown): PoisonMessage {
  return new PoisonMessage('INVALID_EVENT', `The database cannot hold a value of this event (${sqlStateOf(error)}).`, {
    cause: error,
  });
}
