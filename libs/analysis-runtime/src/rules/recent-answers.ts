/** Answers that are under way or there, by key: those that were used last. */
export interface RecentAnswers<T> {
  /** The answer of a key; it counts as used now. */
  get(key: string): Promise<T> | undefined;
  /** Remembers an answer, also while it is under way, unless it fails. */
  set(key: string, answer: Promise<T>): void;
}

/** @param weigh bounds what is remembered: all answers together weigh at most `maxWeight`, the newest one apart */
export function createRecentAnswers<T>(maxWeight: number, weigh: (answer: T) => number): RecentAnswers<T> {
  const entries = new Map<string, { answer: Promise<T>; weight: number }>();
  let total = 0;

  const forget = (key: string): void => {
    total -= entries.get(key)?.weight ?? 0;
    entries.delete(key);
  };
  const makeRoom = (): void => {
    for (const key of entries.keys()) {
      if (total <= maxWeight || entries.size === 1) return;
      forget(key);
    }
  };

  return {
    get: (key) => {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      entries.delete(key);
      entries.set(key, entry);
      return entry.answer;
    },
    set: (key, answer) => {
      forget(key);
      const entry = { answer, weight: 0 };
      entries.set(key, entry);
      const isCurrent = (): boolean => entries.get(key) === entry;
      answer.then(
        (value) => {
          if (!isCurrent()) return;
          entry.weight = weigh(value);
          total += entry.weight;
          makeRoom();
        },
        // A failure is no answer: who asks next asks anew.
        () => isCurrent() && forget(key),
      );
    },
  };
}
