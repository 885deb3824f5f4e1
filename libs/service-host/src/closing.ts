import type { Logger } from './logging.js';

interface Closer {
  name: string;
  order: number;
  close(): void | Promise<void>;
}

/** What has to be closed at the end, in which order. */
export class Closers {
  private readonly closers: Closer[] = [];

  constructor(private readonly log: Logger) {}

  add(
    close: () => void | Promise<void>,
    { order = 0, name = 'resource' }: { order?: number; name?: string } = {},
  ): void {
    // Newest first among equals: what was opened last may use what was opened before it.
    this.closers.unshift({ close, order, name });
  }

  /** Closes what `selects` an order, one after another. One that fails is logged and does not keep the others open. */
  async run(selects: (order: number) => boolean): Promise<boolean> {
    const chosen = this.closers.filter(({ order }) => selects(order)).sort((a, b) => a.order - b.order);
    const results: boolean[] = [];
    for (const closer of chosen) results.push(await attempt(this.log, closer.name, () => closer.close()));
    return results.every(Boolean);
  }
}

/** Runs one step of a stop; false and an error in the log when it failed, because the later steps must run anyway. */
export async function attempt(log: Logger, name: string, step: () => unknown): Promise<boolean> {
  try {
    await step();
    return true;
  } catch (error) {
    log.error({ err: error, step: name }, 'a step of the stop failed');
    return false;
  }
}
