interface Waiter {
  readonly bytes: number;
  readonly begin: () => void;
}

/**
 * Bounds the texts that are held at a time by their bytes: documents differ by a factor of a million, so a number of
 * records bounds nothing. First come first served; what is larger than the whole budget goes alone.
 */
export class ByteBudget {
  private held = 0;
  private readonly waiters: Waiter[] = [];

  constructor(private readonly maxBytes: number) {}

  /** Runs the work as soon as there is room for it. A wait that is aborted rejects with the signal's reason. */
  async hold<T>(bytes: number, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    await this.room(bytes, signal);
    try {
      return await work();
    } finally {
      this.held -= bytes;
      this.admit();
    }
  }

  private room(bytes: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const giveUp = (): void => {
      this.waiters.splice(this.waiters.indexOf(waiter), 1);
      reject(signal.reason as Error);
      this.admit();
    };
    const begin = (): void => {
      signal.removeEventListener('abort', giveUp);
      this.held += bytes;
      resolve();
    };
    const waiter = { bytes, begin };
    this.waiters.push(waiter);
    if (signal.aborted) giveUp();
    else signal.addEventListener('abort', giveUp, { once: true });
    this.admit();
    return promise;
  }

  private admit(): void {
    for (let next = this.waiters[0]; next !== undefined && this.fits(next.bytes); next = this.waiters[0]) {
      this.waiters.shift();
      next.begin();
    }
  }

  private fits(bytes: number): boolean {
    return this.held === 0 || this.held + bytes <= this.maxBytes;
  }
}
