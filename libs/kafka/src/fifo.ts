/** A queue whose `shift` does not move the rest, unlike an array's. */
export class Fifo<T> {
  private items: (T | undefined)[] = [];
  private head = 0;

  get size(): number {
    return this.items.length - this.head;
  }

  push(item: T): void {
    this.items.push(item);
  }

  peek(): T | undefined {
    return this.items[this.head];
  }

  shift(): T | undefined {
    if (this.size === 0) return undefined;
    const item = this.items[this.head];
    // An array that outlived its garbage collection would keep alive what it gave, long after.
    this.items[this.head++] = undefined;
    if (this.head === this.items.length) {
      this.items.length = 0;
      this.head = 0;
    } else if (this.head * 2 > this.items.length) {
      this.closeUp();
    }
    return item;
  }

  /**
   * Most of it lies behind the head: moving the rest now costs one move per item, whatever the length. Within the array: one
   * that is left behind full, and is old by then, keeps all that is in it until the next major garbage collection.
   */
  private closeUp(): void {
    const { size } = this;
    for (let at = 0; at < size; at++) this.items[at] = this.items[this.head + at];
    this.items.length = size;
    this.head = 0;
  }

  /** Keeps what `keeps` says; returns the others. */
  filter(keeps: (item: T) => boolean): T[] {
    const dropped: T[] = [];
    const kept: T[] = [];
    for (let at = this.head; at < this.items.length; at++) {
      const item = this.items[at] as T;
      (keeps(item) ? kept : dropped).push(item);
    }
    this.items = kept;
    this.head = 0;
    return dropped;
  }
}
