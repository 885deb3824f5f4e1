import { PoisonMessage } from '@anabranch/failures';
import { isInvalidData, sqlStateOf } from './failures.js';

/**
 * Works a batch; where Postgres refuses its data, halves it until the one item that is to blame stands alone, as
 * `PoisonMessage` (semantics §8). Every other failure is the whole batch's, and is thrown.
 */
export async function bisect<T, R>(
  items: readonly T[],
  run: (items: readonly T[]) => Promise<readonly (R | Error)[]>,
): Promise<readonly (R | Error)[]> {
  try {
    return await run(items);
  } catch (error) {
    if (!isInvalidData(error)) throw error;
    if (items.length === 1) return [asPoison(error)];
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
