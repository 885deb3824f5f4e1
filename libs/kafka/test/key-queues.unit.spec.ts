import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { KeyQueues, type Queued } from '../src/consumer/key-queues.js';

interface Item extends Queued {
  readonly number: number;
}

let counter = 0;
const item = (lane: string, key: string, turn: Partial<Item> = {}): Item => {
  return { topic: 'topic', lane, tenant: 'tenant', priority: 'NORMAL', key, number: counter++, ...turn };
};
/** In the property below. */
const topicOf = (key: string): string => (key < 'c' ? 'free' : 'limited');

function takeAll(queues: KeyQueues<Item>): Item[] {
  const taken: Item[] = [];
  for (let next = queues.take(); next !== undefined; next = queues.take()) taken.push(next);
  return taken;
}

describe('the key queues', () => {
  it('start the next item of a key only when the one before is finished', () => {
    const queues = new KeyQueues<Item>(10);
    const [a1, a2, b1] = [item('p', 'a'), item('p', 'a'), item('p', 'b')] as const;
    for (const each of [a1, a2, b1]) queues.push(each);
    expect(takeAll(queues)).toEqual([a1, b1]);
    queues.finish(a1);
    expect(takeAll(queues)).toEqual([a2]);
  });

  it('let lanes take turns, however many keys one of them has', () => {
    const queues = new KeyQueues<Item>(4);
    for (let key = 0; key < 100; key++) queues.push(item('crowded', `c${key}`));
    queues.push(item('quiet', 'q1'));
    queues.push(item('quiet', 'q2'));
    expect(takeAll(queues).map(({ lane }) => lane)).toEqual(['crowded', 'quiet', 'crowded', 'quiet']);
  });

  it('start no more than the limit', () => {
    const queues = new KeyQueues<Item>(2);
    for (const key of ['a', 'b', 'c']) queues.push(item('p', key));
    const [first] = takeAll(queues);
    expect(queues.inFlight).toBe(2);
    queues.finish(first as Item);
    expect(takeAll(queues).map(({ key }) => key)).toEqual(['c']);
  });

  it('start no more of a topic than its limit, and others meanwhile', () => {
    const queues = new KeyQueues<Item>(10);
    queues.limit('limited', 1);
    const [a, b] = ['a', 'b'].map((key) => item('p', key, { topic: 'limited' })) as [Item, Item];
    const c = item('q', 'c');
    for (const each of [a, b, c]) queues.push(each);
    expect(takeAll(queues)).toEqual([a, c]);
    queues.finish(a);
    expect(takeAll(queues)).toEqual([b]);
  });

  it('let others of its topic have the slot that an item lends, and make it wait for one', () => {
    const queues = new KeyQueues<Item>(10);
    queues.limit('limited', 1);
    const [a, b] = ['a', 'b'].map((key) => item('p', key, { topic: 'limited' })) as [Item, Item];
    for (const each of [a, b]) queues.push(each);
    queues.take();
    queues.park(a);
    expect(takeAll(queues)).toEqual([b]);
    expect(queues.unpark(a)).toBe(false);
    queues.finish(b);
    expect(queues.unpark(a)).toBe(true);
  });

  it('count what starts out of turn towards the limit of its topic', () => {
    const queues = new KeyQueues<Item>(10);
    queues.limit('limited', 1);
    const [a, b] = ['a', 'b'].map((key) => item('p', key, { topic: 'limited' })) as [Item, Item];
    for (const each of [a, b]) queues.push(each);
    queues.take();
    queues.wait(a);
    queues.restart(a);
    expect(takeAll(queues)).toEqual([]);
    queues.finish(a);
    expect(takeAll(queues)).toEqual([b]);
  });

  it('keep the place of an item that waits, without a slot', () => {
    const queues = new KeyQueues<Item>(1);
    const [a1, a2, b1] = [item('p', 'a'), item('p', 'a'), item('p', 'b')] as const;
    for (const each of [a1, a2, b1]) queues.push(each);
    queues.take();
    queues.wait(a1);
    expect(takeAll(queues)).toEqual([b1]);
    queues.finish(b1);
    expect(takeAll(queues)).toEqual([]);
    queues.wake(a1);
    expect(takeAll(queues)).toEqual([a1]);
  });

  it('start a waiting item out of turn when they are asked to', () => {
    const queues = new KeyQueues<Item>(1);
    const a1 = item('p', 'a');
    queues.push(a1);
    queues.take();
    queues.wait(a1);
    expect(queues.restart(a1)).toBe('started');
    expect(queues.inFlight).toBe(1);
    expect(queues.restart(a1)).toBe('gone');
  });

  it('start nothing out of turn while no slot is free', () => {
    const queues = new KeyQueues<Item>(1);
    const [a1, b1] = [item('p', 'a'), item('p', 'b')] as const;
    for (const each of [a1, b1]) queues.push(each);
    queues.take();
    queues.wait(a1);
    expect(queues.take()).toBe(b1);
    expect(queues.restart(a1)).toBe('full');
    queues.finish(b1);
    expect(queues.restart(a1)).toBe('started');
  });

  it('forget a dropped lane, but keep a key busy until what runs of it has ended', () => {
    const queues = new KeyQueues<Item>(10);
    const [old, waiting] = [item('lost', 'a'), item('lost', 'b')] as const;
    for (const each of [old, item('lost', 'a'), waiting]) queues.push(each);
    takeAll(queues);
    queues.wait(waiting);
    queues.drop('lost');
    expect(queues.restart(waiting)).toBe('gone');
    const again = item('lost', 'a');
    queues.push(again);
    expect(takeAll(queues)).toEqual([]);
    queues.finish(old);
    expect(takeAll(queues)).toEqual([again]);
  });

  it('hold their promises in every order of calls', () => {
    const call = fc.record({
      kind: fc.constantFrom(
        'push',
        'push',
        'push',
        'take',
        'take',
        'finish',
        'finish',
        'wait',
        'wake',
        'restart',
        'drop',
      ),
      lane: fc.constantFrom('p0', 'p1', 'p2'),
      key: fc.constantFrom('a', 'b', 'c', 'd'),
      index: fc.nat(10),
    });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 3 }), fc.array(call, { maxLength: 100 }), (maxInFlight, calls) => {
        const model = new Model(maxInFlight, 1);
        for (const { kind, lane, key, index } of calls) model[kind](lane, key, index);
        model.finishAll();
      }),
      { numRuns: 500 },
    );
  });
});

/** What the queues must do, said more slowly: all items that are there, in the order in which they came. */
class Model {
  private readonly queues: KeyQueues<Item>;
  private items: Item[] = [];
  private readonly running = new Set<Item>();
  private readonly waiting = new Set<Item>();

  constructor(
    private readonly maxInFlight: number,
    private readonly limit: number,
  ) {
    this.queues = new KeyQueues(maxInFlight);
    this.queues.limit('limited', limit);
  }

  push(lane: string, key: string): void {
    const pushed = item(lane, key, { topic: topicOf(key) });
    this.items.push(pushed);
    this.queues.push(pushed);
  }

  take(): void {
    const taken = this.queues.take();
    const ready = this.ready().filter(({ topic }) => topic === 'free' || this.runningOf(topic) < this.limit);
    expect(taken === undefined).toBe(ready.length === 0 || this.running.size >= this.maxInFlight);
    if (taken === undefined) return;
    expect(ready).toContain(taken);
    this.running.add(taken);
  }

  finish(_lane: string, _key: string, index: number): void {
    const finished = pick(this.running, index);
    if (finished === undefined) return;
    this.queues.finish(finished);
    this.running.delete(finished);
    this.items = this.items.filter((each) => each !== finished);
  }

  wait(_lane: string, _key: string, index: number): void {
    const parked = pick(this.running, index);
    if (parked === undefined) return;
    this.queues.wait(parked);
    this.running.delete(parked);
    this.waiting.add(parked);
  }

  wake(_lane: string, _key: string, index: number): void {
    const woken = pick(this.waiting, index);
    if (woken === undefined) return;
    this.queues.wake(woken);
    this.waiting.delete(woken);
  }

  restart(_lane: string, _key: string, index: number): void {
    const restarted = pick(this.waiting, index);
    if (restarted === undefined) return;
    const isLimited = restarted.topic === 'limited' && this.runningOf('limited') >= this.limit;
    const isFull = this.running.size >= this.maxInFlight || isLimited;
    expect(this.queues.restart(restarted)).toBe(isFull ? 'full' : 'started');
    if (isFull) return;
    this.waiting.delete(restarted);
    this.running.add(restarted);
  }

  drop(lane: string): void {
    this.queues.drop(lane);
    this.items = this.items.filter((each) => each.lane !== lane || this.running.has(each));
    for (const each of this.waiting) if (each.lane === lane) this.waiting.delete(each);
  }

  /** Whatever happened, nothing is stuck. */
  finishAll(): void {
    while (this.waiting.size > 0) this.wake('', '', 0);
    for (let left = 2 * this.items.length; left >= 0; left--) {
      this.finish('', '', 0);
      this.take();
    }
    expect(this.items).toEqual([]);
    expect(this.queues.inFlight).toBe(0);
  }

  private runningOf(topic: string): number {
    return [...this.running].filter((each) => each.topic === topic).length;
  }

  /** The heads of their keys that neither run nor wait. */
  private ready(): Item[] {
    const heads = new Map<string, Item>();
    for (const each of this.items) if (!heads.has(each.key)) heads.set(each.key, each);
    return [...heads.values()].filter((head) => !this.running.has(head) && !this.waiting.has(head));
  }
}

function pick(items: Set<Item>, index: number): Item | undefined {
  return [...items][index % Math.max(1, items.size)];
}
