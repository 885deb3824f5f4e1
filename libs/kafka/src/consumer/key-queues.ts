import { Fifo } from '../fifo.js';
import { Turns, type Turn } from './turns.js';

/** What is queued, and in which order the heads of the keys take their turns. */
export interface Queued extends Turn {
  /** Items of one key are handled one at a time, in the order in which they came. */
  readonly key: string;
}

class KeyQueue<T extends Queued> {
  /** Made when a second item comes: most keys never have one. */
  behind: Fifo<T> | undefined;
  /**
   * `ready`: its head may start. `running`: it holds a slot. `parked`: it runs and has lent its slot. `waiting`: the head
   * keeps its place and does not run.
   */
  state: 'ready' | 'running' | 'parked' | 'waiting' = 'ready';

  constructor(public head: T | undefined) {}
}

/**
 * One queue per key, and the choice of what starts next.
 *
 * Invariants: of one key only the head is ever started, and never twice at a time; at most `maxInFlight` run, and of a
 * topic that is limited no more than its limit; what is ready takes turns, whatever the number of keys (see {@link Turns}).
 */
export class KeyQueues<T extends Queued> {
  private readonly queues = new Map<string, KeyQueue<T>>();
  /** The keys whose head may start. */
  private readonly ready = new Turns<KeyQueue<T>>();
  private slotsTaken = 0;
  private parked = 0;

  constructor(private readonly maxInFlight: number) {}

  /** How many items hold a slot. */
  get inFlight(): number {
    return this.slotsTaken;
  }

  /** How many items run, with a slot or without. */
  get started(): number {
    return this.slotsTaken + this.parked;
  }

  /** The items that hold a slot: as many steps as there are keys. */
  *running(): Iterable<T> {
    for (const { state, head } of this.queues.values()) {
      if (state === 'running' && head !== undefined) yield head;
    }
  }

  /** At most so many of a topic's items hold a slot at a time. */
  limit(topic: string, maxInFlight: number): void {
    this.ready.limit(topic, maxInFlight);
  }

  push(item: T): void {
    const queue = this.queues.get(item.key);
    if (queue !== undefined) return this.pushBehind(queue, item);
    const fresh = new KeyQueue(item);
    this.queues.set(item.key, fresh);
    this.ready.push(fresh, item);
  }

  /** Starts the next item, if there is one and a slot is free. */
  take(): T | undefined {
    if (this.slotsTaken >= this.maxInFlight) return undefined;
    const queue = this.ready.shift();
    const head = queue?.head;
    if (queue === undefined || head === undefined) return undefined;
    this.run(queue);
    return head;
  }

  /** The running item is done with: the next of its key may start. */
  finish(item: T): void {
    const queue = this.release(item);
    if (queue === undefined) return;
    queue.head = queue.behind?.shift();
    this.advance(item.key, queue);
  }

  /** The running item gives its slot back and keeps its place; nothing of its key starts until it is woken. */
  wait(item: T): void {
    const queue = this.release(item);
    if (queue !== undefined) queue.state = 'waiting';
  }

  /** The running item lends its slot and goes on running. False when it has no slot to lend. */
  park(item: T): boolean {
    const queue = this.holding(item, 'running');
    if (queue === undefined) return false;
    queue.state = 'parked';
    this.freeSlot(item);
    this.parked++;
    return true;
  }

  /** Takes a slot for a parked item. False when none is free. */
  unpark(item: T): boolean {
    const queue = this.holding(item, 'parked');
    if (queue === undefined) return true;
    if (!this.hasSlot(item)) return false;
    this.parked--;
    this.startOutOfTurn(queue, item);
    return true;
  }

  /** A waiting item may start again when its turn comes. No effect on one that was dropped. */
  wake(item: T): void {
    const queue = this.holding(item, 'waiting');
    if (queue !== undefined) this.enlist(queue, item);
  }

  /** Starts a waiting item out of turn, if a slot is free; `gone` when it was dropped. */
  restart(item: T): 'started' | 'full' | 'gone' {
    const queue = this.holding(item, 'waiting');
    if (queue === undefined) return 'gone';
    if (!this.hasSlot(item)) return 'full';
    this.startOutOfTurn(queue, item);
    return 'started';
  }

  /** Forgets everything of a lane that does not run. What runs keeps its key until it is finished, so nothing overlaps. */
  drop(lane: string): void {
    this.ready.drop(lane);
    for (const [key, queue] of this.queues) {
      const { head } = queue;
      const isRunning = queue.state === 'running' || queue.state === 'parked';
      queue.behind?.filter((item) => item.lane !== lane);
      if (isRunning || head?.lane !== lane) continue;
      // Only a queue whose head went has a new one to enlist; all others stand where they stood.
      queue.head = queue.behind?.shift();
      this.advance(key, queue);
    }
  }

  /** The item, with a slot or without, no longer runs. */
  private release(item: T): KeyQueue<T> | undefined {
    const running = this.holding(item, 'running');
    if (running !== undefined) this.freeSlot(item);
    if (running !== undefined) return running;
    const parked = this.holding(item, 'parked');
    if (parked !== undefined) this.parked--;
    return parked;
  }

  private hasSlot({ topic }: T): boolean {
    return this.slotsTaken < this.maxInFlight && this.ready.hasSlot(topic);
  }

  private startOutOfTurn(queue: KeyQueue<T>, { topic }: T): void {
    this.ready.takeSlot(topic);
    this.run(queue);
  }

  private run(queue: KeyQueue<T>): void {
    queue.state = 'running';
    this.slotsTaken++;
  }

  private freeSlot({ topic }: T): void {
    this.slotsTaken--;
    this.ready.freeSlot(topic);
  }

  private pushBehind(queue: KeyQueue<T>, item: T): void {
    queue.behind ??= new Fifo();
    queue.behind.push(item);
  }

  private advance(key: string, queue: KeyQueue<T>): void {
    if (queue.head === undefined) this.queues.delete(key);
    else this.enlist(queue, queue.head);
  }

  private enlist(queue: KeyQueue<T>, head: T): void {
    queue.state = 'ready';
    this.ready.push(queue, head);
  }

  private holding(item: T, state: KeyQueue<T>['state']): KeyQueue<T> | undefined {
    const queue = this.queues.get(item.key);
    return queue?.state === state && queue.head === item ? queue : undefined;
  }
}
