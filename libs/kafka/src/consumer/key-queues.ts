import { Fifo } from '../fifo.js';

/** What is queued: `key` says whose turn it waits for, `lane` where it came from. */
export interface Queued {
  /** Items of one key are handled one at a time, in the order in which they came. */
  readonly key: string;
  /** Lanes take turns: the partition. */
  readonly lane: string;
}

interface KeyQueue<T extends Queued> {
  readonly items: Fifo<T>;
  /**
   * `ready`: its head may start. `running`: it holds a slot. `parked`: it runs and has lent its slot. `waiting`: the head
   * keeps its place and does not run.
   */
  state: 'ready' | 'running' | 'parked' | 'waiting';
}

/**
 * One queue per key, and the choice of what starts next.
 *
 * Invariants: of one key only the head is ever started, and never twice at a time; at most `maxInFlight` run; lanes with
 * something ready take turns, whatever the number of keys in each.
 */
export class KeyQueues<T extends Queued> {
  private readonly queues = new Map<string, KeyQueue<T>>();
  /** The ready keys of each lane, first come first served. */
  private readonly ready = new Map<string, Fifo<KeyQueue<T>>>();
  /** The lanes that have a ready key, each once, in the order of their turns. */
  private readonly turns = new Fifo<string>();
  private running = 0;
  private parked = 0;

  constructor(private readonly maxInFlight: number) {}

  /** How many items hold a slot. */
  get inFlight(): number {
    return this.running;
  }

  /** How many items run, with a slot or without. */
  get started(): number {
    return this.running + this.parked;
  }

  push(item: T): void {
    const queue = this.queues.get(item.key);
    if (queue !== undefined) return queue.items.push(item);
    const fresh: KeyQueue<T> = { items: new Fifo(), state: 'ready' };
    fresh.items.push(item);
    this.queues.set(item.key, fresh);
    this.enlist(fresh, item.lane);
  }

  /** Starts the next item, if there is one and a slot is free. */
  take(): T | undefined {
    if (this.running >= this.maxInFlight) return undefined;
    const lane = this.turns.shift();
    const line = lane === undefined ? undefined : this.ready.get(lane);
    if (lane === undefined || line === undefined) return undefined;
    const queue = line.shift();
    if (line.size > 0) this.turns.push(lane);
    else this.ready.delete(lane);
    const head = queue?.items.peek();
    return queue === undefined || head === undefined ? undefined : this.run(queue, head);
  }

  /** The running item is done with: the next of its key may start. */
  finish(item: T): void {
    const queue = this.release(item);
    if (queue === undefined) return;
    queue.items.shift();
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
    this.running--;
    this.parked++;
    return true;
  }

  /** Takes a slot for a parked item. False when none is free. */
  unpark(item: T): boolean {
    const queue = this.holding(item, 'parked');
    if (queue === undefined) return true;
    if (this.running >= this.maxInFlight) return false;
    this.parked--;
    this.run(queue, item);
    return true;
  }

  /** A waiting item may start again when its lane's turn comes. No effect on one that was dropped. */
  wake(item: T): void {
    const queue = this.holding(item, 'waiting');
    if (queue !== undefined) this.enlist(queue, item.lane);
  }

  /** Starts a waiting item out of turn, if a slot is free; `gone` when it was dropped. */
  restart(item: T): 'started' | 'full' | 'gone' {
    const queue = this.holding(item, 'waiting');
    if (queue === undefined) return 'gone';
    if (this.running >= this.maxInFlight) return 'full';
    this.run(queue, item);
    return 'started';
  }

  /** Forgets everything of a lane that does not run. What runs keeps its key until it is finished, so nothing overlaps. */
  drop(lane: string): void {
    this.ready.delete(lane);
    this.turns.filter((turn) => turn !== lane);
    for (const [key, queue] of this.queues) {
      const head = queue.items.peek();
      const kept = queue.state === 'running' || queue.state === 'parked' ? head : undefined;
      const dropped = queue.items.filter((item) => item === kept || item.lane !== lane);
      // Only a queue whose head went has a new one to enlist; all others stand where they stood.
      if (head !== undefined && head !== kept && dropped[0] === head) this.advance(key, queue);
    }
  }

  /** The item, with a slot or without, no longer runs. */
  private release(item: T): KeyQueue<T> | undefined {
    const parked = this.holding(item, 'parked');
    if (parked !== undefined) this.parked--;
    const running = this.holding(item, 'running');
    if (running !== undefined) this.running--;
    return parked ?? running;
  }

  private run(queue: KeyQueue<T>, head: T): T {
    queue.state = 'running';
    this.running++;
    return head;
  }

  private advance(key: string, queue: KeyQueue<T>): void {
    const head = queue.items.peek();
    if (head === undefined) this.queues.delete(key);
    else this.enlist(queue, head.lane);
  }

  private enlist(queue: KeyQueue<T>, lane: string): void {
    queue.state = 'ready';
    const line = this.ready.get(lane);
    if (line !== undefined) return line.push(queue);
    const fresh = new Fifo<KeyQueue<T>>();
    fresh.push(queue);
    this.ready.set(lane, fresh);
    this.turns.push(lane);
  }

  private holding(item: T, state: KeyQueue<T>['state']): KeyQueue<T> | undefined {
    const queue = this.queues.get(item.key);
    return queue?.state === state && queue.items.peek() === item ? queue : undefined;
  }
}
