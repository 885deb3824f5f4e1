import { settled } from '../../src/testing/index.js';
import type { SeededRandom } from './seeded-random.js';

interface Happening {
  readonly at: number;
  /** Decides between happenings of one moment: their order is nobody's promise. */
  readonly rank: number;
  readonly run: () => void;
  isCancelled: boolean;
}

/** Virtual time for everything: what happens is run in the order of its time, one after the other. */
export class Timeline {
  private readonly heap: Happening[] = [];
  private time = 0;
  private happened = 0;

  constructor(private readonly random: SeededRandom) {}

  get now(): number {
    return this.time;
  }

  /** How many things have happened; between two of them all promises settle. */
  get step(): number {
    return this.happened;
  }

  /** Runs something after `ms`; the returned function cancels. */
  after(ms: number, run: () => void): () => void {
    const happening = { at: this.time + ms, rank: this.random.next(), run, isCancelled: false };
    this.insert(happening);
    return () => void (happening.isCancelled = true);
  }

  /** Time that something takes which is not interrupted: what is due meanwhile happens afterwards, late. */
  spend(ms: number): void {
    this.time += ms;
  }

  /** Lets time pass until `until`, or until `isDone` says so; after every happening all promises have settled. */
  async run(until: number, isDone: () => boolean = () => false): Promise<void> {
    await settled();
    for (let next = this.heap[0]; next !== undefined && next.at <= until && !isDone(); next = this.heap[0]) {
      this.removeFirst();
      if (next.isCancelled) continue;
      this.time = Math.max(this.time, next.at);
      this.happened++;
      next.run();
      await settled();
    }
    if (!isDone()) this.time = Math.max(this.time, until);
  }

  private insert(happening: Happening): void {
    const { heap } = this;
    let place = heap.push(happening) - 1;
    for (let parent = (place - 1) >> 1; place > 0 && isBefore(happening, heap[parent]); parent = (place - 1) >> 1) {
      heap[place] = heap[parent]!;
      place = parent;
    }
    heap[place] = happening;
  }

  private removeFirst(): void {
    const { heap } = this;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let place = 0;
    for (let child = 1; child < heap.length; child = 2 * place + 1) {
      if (isBefore(heap[child + 1], heap[child])) child++;
      if (!isBefore(heap[child], last)) break;
      heap[place] = heap[child]!;
      place = child;
    }
    heap[place] = last;
  }
}

function isBefore(left: Happening | undefined, right: Happening | undefined): boolean {
  if (left === undefined || right === undefined) return false;
  return left.at < right.at || (left.at === right.at && left.rank < right.rank);
}
