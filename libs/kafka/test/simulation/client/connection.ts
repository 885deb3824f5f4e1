import type { SeededRandom } from '../seeded-random.js';
import type { Timeline } from '../timeline.js';

/** A client's way to the broker, with its delays. */
export class Connection {
  private lastArrival = 0;

  constructor(
    private readonly timeline: Timeline,
    private readonly random: SeededRandom,
  ) {}

  /** A request arrives after those that were sent before, whatever becomes of the process meanwhile. */
  request(arrive: () => void): void {
    this.lastArrival = Math.max(this.lastArrival, this.timeline.now + this.delayMs()) + 0.001;
    this.timeline.after(this.lastArrival - this.timeline.now, arrive);
  }

  /** An answer, or a fetch, which has a connection of its own. */
  after(happen: () => void): void {
    this.timeline.after(this.delayMs(), happen);
  }

  private delayMs(): number {
    const { random } = this;
    return random.chance(0.9) ? random.between(0.5, 20) : random.between(20, 600);
  }
}
