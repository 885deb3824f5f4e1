import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { mostPassedOver, Turns, type Priority, type Turn } from '../src/consumer/turns.js';

interface Ready extends Turn {
  readonly name: string;
}

const ready = (name: string, turn: Partial<Turn> = {}): Ready => {
  return { name, topic: 'topic', lane: 'topic/0', tenant: 'tenant', priority: 'NORMAL', ...turn };
};

function turnsWith(...items: readonly Ready[]): Turns<Ready> {
  const turns = new Turns<Ready>();
  for (const item of items) turns.push(item, item);
  return turns;
}

/** What is served, in order; each item ends before the next one begins. */
function serveAll(turns: Turns<Ready>): Ready[] {
  const served: Ready[] = [];
  for (let next = turns.shift(); next !== undefined; next = turns.shift()) {
    served.push(next);
    turns.freeSlot(next.topic);
  }
  return served;
}

const many = (count: number, turn: Partial<Turn>): Ready[] =>
  Array.from({ length: count }, (_, index) => ready(`${turn.tenant ?? ''}${turn.priority ?? ''}${index}`, turn));

describe('of what is ready', () => {
  it('one document of a tenant does not wait for another tenant’s fifty thousand', () => {
    const turns = turnsWith(...many(50_000, { tenant: 'large' }), ready('one', { tenant: 'small' }));
    expect([turns.shift()?.tenant, turns.shift()?.tenant]).toEqual(['large', 'small']);
    expect(serveAll(turns)).toHaveLength(49_999);
  });

  it('a tenant’s own order is that of its arrival', () => {
    const items = many(5, { tenant: 'one' });
    expect(serveAll(turnsWith(...items))).toEqual(items);
  });

  it('partitions take turns before tenants do', () => {
    const crowded = ['a', 'b', 'c'].map((tenant) => ready(tenant, { tenant, lane: 'topic/0' }));
    const quiet = [ready('d', { lane: 'topic/1' }), ready('e', { lane: 'topic/1' })];
    expect(
      serveAll(turnsWith(...crowded, ...quiet))
        .map(({ name }) => name)
        .join(''),
    ).toBe('adbec');
  });

  it('a tenant’s higher priority comes first', () => {
    const items = (['LOW', 'NORMAL', 'HIGH'] as const).map((priority) => ready(priority, { priority }));
    expect(serveAll(turnsWith(...items)).map(({ name }) => name)).toEqual(['HIGH', 'NORMAL', 'LOW']);
  });

  it('no priority helps a tenant against another one', () => {
    const turns = turnsWith(
      ...many(10, { tenant: 'loud', priority: 'HIGH' }),
      ...many(2, { tenant: 'modest', priority: 'LOW' }),
    );
    expect(
      serveAll(turns)
        .slice(0, 4)
        .map(({ tenant }) => tenant),
    ).toEqual(['loud', 'modest', 'loud', 'modest']);
  });

  it('no priority is passed over for ever, however much comes above it', () => {
    const turns = turnsWith(
      ...many(100, { priority: 'HIGH' }),
      ...many(20, { priority: 'NORMAL' }),
      ...many(20, { priority: 'LOW' }),
    );
    const served = serveAll(turns).map(({ priority }) => priority);
    expect(served.indexOf('LOW')).toBe(mostPassedOver);
    expect(served.indexOf('NORMAL')).toBe(mostPassedOver + 1);
    const firstHundred = served.slice(0, 100);
    expect(firstHundred.filter((priority) => priority === 'HIGH').length).toBeGreaterThan(75);
  });

  it('a partition that was lost gives nothing more', () => {
    const kept = ready('kept', { lane: 'topic/1' });
    const turns = turnsWith(...many(3, { lane: 'topic/0' }), kept);
    turns.drop('topic/0');
    expect(serveAll(turns)).toEqual([kept]);
  });
});

const lanes = ['free/0', 'free/1', 'limited/0', 'limited/1'];
const call = fc.record({
  kind: fc.constantFrom('push', 'push', 'push', 'shift', 'shift', 'end', 'drop'),
  lane: fc.constantFrom(...lanes),
  tenant: fc.constantFrom('a', 'b', 'c', 'd'),
  priority: fc.constantFrom<Priority>('HIGH', 'NORMAL', 'LOW'),
});

describe('in every order of calls', () => {
  it('who is ready is served after each of the others at most once', () => {
    fc.assert(
      fc.property(fc.array(call, { maxLength: 200 }), fc.nat(2), (calls, limit) => {
        const model = new Model(limit + 1);
        for (const each of calls) model[each.kind](each);
        model.serveTheRest();
      }),
      { numRuns: 500 },
    );
  });
});

/** All that is ready, and how often others may go before. */
class Model {
  private readonly turns = new Turns<Ready>();
  private items: Ready[] = [];
  private readonly running: Ready[] = [];
  /** By partition and tenant: how many of the partition's turns may pass until its own. */
  private readonly patience = new Map<string, number>();
  private count = 0;

  constructor(private readonly limit: number) {
    this.turns.limit('limited', limit);
  }

  push({ lane, tenant, priority }: Omit<Turn, 'topic'>): void {
    const [topic = ''] = lane.split('/');
    const item = ready(`${this.count++}`, { topic, lane, tenant, priority });
    const tenants = this.tenantsOf(lane);
    if (!tenants.has(tenant)) this.patience.set(`${lane} ${tenant}`, tenants.size);
    this.items.push(item);
    this.turns.push(item, item);
  }

  shift(): void {
    const item = this.turns.shift();
    const servable = this.items.filter(({ topic }) => topic === 'free' || this.runningOf(topic) < this.limit);
    expect(item === undefined).toBe(servable.length === 0);
    if (item === undefined) return;
    expect(servable).toContain(item);
    const ofItsKind = ({ lane, tenant, priority }: Ready) =>
      lane === item.lane && tenant === item.tenant && priority === item.priority;
    expect(this.items.find(ofItsKind)).toBe(item);
    this.items.splice(this.items.indexOf(item), 1);
    this.running.push(item);
    this.spend(item);
  }

  end(): void {
    const item = this.running.shift();
    if (item !== undefined) this.turns.freeSlot(item.topic);
  }

  drop({ lane }: { readonly lane: string }): void {
    this.items = this.items.filter((item) => item.lane !== lane);
    this.turns.drop(lane);
  }

  serveTheRest(): void {
    for (let left = 2 * this.items.length + this.running.length; left > 0; left--) {
      this.shift();
      this.end();
    }
    expect(this.items).toEqual([]);
  }

  private spend({ lane, tenant }: Ready): void {
    const waiting = this.tenantsOf(lane);
    for (const other of waiting) {
      if (other === tenant) continue;
      const left = (this.patience.get(`${lane} ${other}`) ?? 0) - 1;
      expect(left).toBeGreaterThanOrEqual(0);
      this.patience.set(`${lane} ${other}`, left);
    }
    this.patience.set(`${lane} ${tenant}`, waiting.size - 1);
  }

  private tenantsOf(lane: string): Set<string> {
    return new Set(this.items.filter((item) => item.lane === lane).map(({ tenant }) => tenant));
  }

  private runningOf(topic: string): number {
    return this.running.filter((item) => item.topic === topic).length;
  }
}
