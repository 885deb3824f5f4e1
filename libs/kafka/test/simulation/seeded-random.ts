/** Random numbers that are the same for the same seed (mulberry32): every delay and choice of a simulation. */
export class SeededRandom {
  constructor(private state: number) {}

  /** Below 1 and not below 0. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A number of milliseconds with fractions, so that two delays hardly ever end together by accident. */
  between(least: number, most: number): number {
    return least + this.next() * (most - least);
  }

  integer(least: number, most: number): number {
    return Math.floor(this.between(least, most + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  shuffle<T>(items: readonly T[]): T[] {
    const order = items.map((item) => ({ item, rank: this.next() }));
    return order.sort((left, right) => left.rank - right.rank).map(({ item }) => item);
  }
}
