import type { Batcher } from '../batcher.js';
import { RowHeld } from '../bisect.js';

export interface HoldApartOptions<T, R> {
  /** Works what nobody holds; rejects with `RowHeld` what somebody does. */
  prompt: Batcher<T, R>;
  /** Waits for whoever holds it. */
  patient: Batcher<T, R>;
  keyOf(item: T): string;
}

/**
 * What somebody else holds for long, such as a process that was frozen before its commit, goes on among its like: what is
 * free does not wait for it. Once a key is known to be held, what comes for it meanwhile waits behind it.
 */
export function holdApart<T, R>({ prompt, patient, keyOf }: HoldApartOptions<T, R>): Batcher<T, R> {
  /** How many wait, by what is held. */
  const held = new Map<string, number>();
  const wait = async (item: T): Promise<R> => {
    const key = keyOf(item);
    held.set(key, (held.get(key) ?? 0) + 1);
    try {
      return await patient.add(item);
    } finally {
      const left = (held.get(key) ?? 0) - 1;
      if (left > 0) held.set(key, left);
      else held.delete(key);
    }
  };
  return {
    async add(item) {
      if (held.has(keyOf(item))) return wait(item);
      try {
        return await prompt.add(item);
      } catch (error) {
        if (error instanceof RowHeld) return wait(item);
        throw error;
      }
    },
  };
}
