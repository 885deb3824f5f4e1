import { DependencyUnavailable, PoisonMessage } from '@anabranch/failures';
import { reach } from '@anabranch/failures/fail-points';
import type { OutboxRow, OutboxRows } from './rows.js';

export interface DispatcherOptions<E> {
  rows: Pick<OutboxRows, 'read' | 'remove' | 'setAside'>;
  /** The event of each row id, rendered from immutable rows. */
  render(rowIds: readonly string[]): Promise<ReadonlyMap<string, E>>;
  /** Resolves when the broker has acknowledged the event. A rejection means that nobody knows. */
  publish(event: E): Promise<void>;
  onPublished(): void;
  /** A row that can never be published was put aside: its document goes on without it. */
  onSetAside(jobId: string, error: Error): void;
  onFailed(error: unknown): void;
  /** Most rows in memory. */
  maxRows: number;
  /** A send that takes longer ends the dispatcher. */
  sendTimeoutMs: number;
}

interface Entry<E> {
  row: OutboxRow;
  event: E;
}

/**
 * Publishes the rows of one topic: one record in flight for each document, any number of documents at once. A row is
 * removed only after its event was acknowledged, and in the order of the acknowledgements: so whatever dies when, a
 * document's events come in order, some of them again, none of them never. Only an event that is itself to blame is left
 * out: its row is put aside, where it is counted, and the document's later ones do not wait for it.
 */
export class Dispatcher<E> {
  /** Rejects when the outbox cannot be read or written, or a send took too long. It never resolves. */
  readonly failure: Promise<never>;

  /** Rows in memory, until they are removed from the table. */
  private readonly known = new Set<number>();
  /** What each document still has to send; the first is in flight. */
  private readonly queues = new Map<string, Entry<E>[]>();
  private acknowledged: number[] = [];
  /** What can never be published, until it is put aside. */
  private unpublishable: { row: OutboxRow; error: Error }[] = [];
  private inFlight = 0;
  private failedSends = 0;
  private mayRead = false;
  /** A send failed: reading waits for the next sweep, so that a broker that is down is not hammered. */
  private isHeld = false;
  private isStopped = false;
  private isWorking = false;
  private readonly fail: (error: unknown) => void;
  private readonly idle = Promise.withResolvers<void>();

  constructor(private readonly options: DispatcherOptions<E>) {
    const { promise, reject } = Promise.withResolvers<never>();
    this.failure = promise;
    this.failure.catch(() => this.idle.resolve());
    this.fail = reject;
  }

  /** New rows may be there. */
  wake(): void {
    this.mayRead = true;
    void this.work();
  }

  /** As `wake`, and what failed before is tried again. */
  sweep(): void {
    this.isHeld = false;
    this.wake();
  }

  /** How many rows are in memory; less than half of the room means that these are all. */
  get size(): number {
    return this.known.size;
  }

  /** Sends nothing more; waits for what is in flight, and removes what was acknowledged. */
  async drain(): Promise<void> {
    this.isStopped = true;
    void this.work();
    await this.idle.promise;
  }

  /** Sends nothing more, and forgets what is in flight. */
  abandon(): void {
    this.isStopped = true;
  }

  private async work(): Promise<void> {
    if (this.isWorking) return;
    this.isWorking = true;
    try {
      while (this.acknowledged.length > 0 || this.unpublishable.length > 0 || this.wantsRows()) {
        await this.removeAcknowledged();
        await this.setAside();
        if (this.wantsRows()) await this.readRows();
      }
    } catch (error) {
      this.fail(error);
    }
    this.isWorking = false;
    if (this.isStopped && this.inFlight === 0) this.idle.resolve();
  }

  private wantsRows(): boolean {
    // Read when half of the room is free: one by one, every acknowledgement would cost a query.
    return this.mayRead && !this.isHeld && !this.isStopped && this.known.size <= this.options.maxRows / 2;
  }

  private async removeAcknowledged(): Promise<void> {
    if (this.acknowledged.length === 0) return;
    const numbers = this.acknowledged;
    this.acknowledged = [];
    await this.options.rows.remove(numbers);
    reach('relay.removed');
    numbers.forEach((number) => this.known.delete(number));
  }

  private async setAside(): Promise<void> {
    const unpublishable = this.unpublishable;
    this.unpublishable = [];
    for (const { row, error } of unpublishable) {
      const jobId = await this.options.rows.setAside(row.number, error.message);
      this.known.delete(row.number);
      this.options.onSetAside(jobId, error);
    }
  }

  private async readRows(): Promise<void> {
    this.mayRead = false;
    const limit = this.options.maxRows - this.known.size;
    const { failedSends } = this;
    const rows = await this.options.rows.read([...this.known], limit);
    // A full page says that more rows wait.
    if (rows.length === limit) this.mayRead = true;
    if (rows.length === 0) return;
    const events = await this.options.render(rows.map(({ rowId }) => rowId));
    // A send that failed meanwhile made its document forget its rows: these ones could overtake them.
    if (failedSends !== this.failedSends) this.mayRead = true;
    else rows.forEach((row) => this.enqueue(row, events.get(row.rowId)));
  }

  private enqueue(row: OutboxRow, event: E | undefined): void {
    this.known.add(row.number);
    const queue = this.queues.get(row.document);
    if (event === undefined)
      this.unpublishable.push({ row, error: new Error('There is no row to render the event from.') });
    else if (queue) queue.push({ row, event });
    else {
      this.queues.set(row.document, [{ row, event }]);
      void this.send({ row, event });
    }
  }

  private async send({ row, event }: Entry<E>): Promise<void> {
    if (this.isStopped) return;
    this.inFlight++;
    try {
      reach('relay.before-publish');
      await withTimeout(this.options.publish(event), this.options.sendTimeoutMs);
      reach('relay.published');
      this.acknowledged.push(row.number);
      this.options.onPublished();
      this.sendNext(row.document);
    } catch (error) {
      if (error instanceof PoisonMessage) {
        this.unpublishable.push({ row, error });
        this.sendNext(row.document);
      } else this.retryLater(this.forget(row.document), error);
    }
    this.inFlight--;
    void this.work();
  }

  private sendNext(document: string): void {
    const queue = this.queues.get(document);
    queue?.shift();
    const next = queue?.[0];
    if (next === undefined) this.queues.delete(document);
    else void this.send(next);
  }

  private forget(document: string): OutboxRow[] {
    const rows = this.queues.get(document)?.map(({ row }) => row) ?? [];
    this.queues.delete(document);
    return rows;
  }

  /** The document's rows are read again, in order, after the next sweep. */
  private retryLater(rows: readonly OutboxRow[], error: unknown): void {
    rows.forEach(({ number }) => this.known.delete(number));
    this.failedSends++;
    this.isHeld = true;
    this.mayRead = true;
    this.options.onFailed(error);
    if (error instanceof SendTimeout) this.fail(new DependencyUnavailable('kafka', error.message, { cause: error }));
  }
}

class SendTimeout extends Error {
  override readonly name = 'SendTimeout';
}

async function withTimeout(sending: Promise<void>, timeoutMs: number): Promise<void> {
  const { promise: timeout, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new SendTimeout(`A send took longer than ${timeoutMs} ms.`)), timeoutMs);
  // A send that was given up must not keep the process alive.
  timer.unref();
  try {
    await Promise.race([sending, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
