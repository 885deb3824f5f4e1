// What a run promised, counted by the handlers themselves: each record once, per key one at a time and in order.

/** @param {string} name of a document, as the feeder gives it */
export const keyNumberOf = (name) => Number(name.slice(1));

export const nameOfKey = (number) => `k${number}`;

export class Tally {
  handled = 0;
  inFlight = 0;
  mostInFlight = 0;
  firstAt = 0;
  lastAt = 0;
  violations = [];
  #expected;
  #last;
  #busy;
  #done = Promise.withResolvers();
  #cpu = process.cpuUsage();

  /** @param {{ keys: number, records: number }} expected of the whole run */
  constructor({ keys, records }) {
    this.#expected = records;
    this.#last = new Float64Array(keys).fill(-1);
    this.#busy = new Uint8Array(keys);
  }

  /** Resolves when the last record is handled. */
  get complete() {
    return this.#done.promise;
  }

  start(key, offset) {
    if (this.firstAt === 0) this.firstAt = performance.now();
    if (this.#busy[key] === 1) this.#note(`key ${key} runs twice at a time at offset ${offset}`);
    if (this.#last[key] >= offset) this.#note(`key ${key} has offset ${offset} after ${this.#last[key]}`);
    this.#busy[key] = 1;
    this.#last[key] = offset;
    if (++this.inFlight > this.mostInFlight) this.mostInFlight = this.inFlight;
  }

  end(key) {
    this.#busy[key] = 0;
    this.inFlight--;
    if (++this.handled === this.#expected) this.#finish();
  }

  /** Ends the count before all is handled: for a baseline that would take minutes. */
  cut() {
    if (this.lastAt === 0) this.#finish();
  }

  /** Of the whole run, from the tally's making to the last record. */
  figures() {
    return {
      handled: this.handled,
      mostInFlight: this.mostInFlight,
      elapsedMs: this.lastAt - this.firstAt,
      cpuMs: (this.#cpu.user + this.#cpu.system) / 1_000,
      maxRssMb: process.resourceUsage().maxRSS / 1_024,
      violations: this.violations,
    };
  }

  #finish() {
    this.lastAt = performance.now();
    this.#cpu = process.cpuUsage(this.#cpu);
    this.#done.resolve();
  }

  #note(what) {
    if (this.violations.length < 10) this.violations.push(what);
  }
}
