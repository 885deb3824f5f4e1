// What is done to the platform, by a seed: processes die, freeze and lose their connections, Kafka and Postgres go away.
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';

/** @typedef {{ kind: string, target: string, from: number, until: number }} Fault epoch milliseconds */

export class Faults {
  /** @type {Fault[]} */ done = [];
  #platform;
  #random;
  #kinds;
  /** Who is killed before anybody is killed again. @type {string[]} */ #spared = [];

  /** @param {{ platform: import('./platform.mjs').Platform, random: import('./random.mjs').Random }} options */
  constructor({ platform, random }) {
    this.#platform = platform;
    this.#random = random;
    this.#kinds = [
      ...['a', 'b'].map(() => () => this.#cutCommits()),
      () => this.#outage('kafka'),
      () => this.#outage('postgres'),
      () => this.#freeze('collection'),
      () => this.#endBackends(),
      () => this.#crashPostgres(),
      () => this.#crashKafka(),
    ];
  }

  /**
   * Kills, and beside them one other fault after the other, until the signal; what was hurt is whole again when it resolves.
   * @param {AbortSignal} signal
   */
  async run(signal) {
    const others = this.#inTurns();
    await Promise.all([
      this.#repeat({ betweenMs: [2_000, 5_000], act: () => this.#kill() }, signal),
      this.#repeat({ betweenMs: [2_000, 8_000], act: () => others.next().value() }, signal),
    ]);
  }

  async #repeat({ betweenMs: [low, high], act }, signal) {
    while (!signal.aborted) {
      await delay(this.#random.between(low, high), undefined, { signal }).catch(() => {});
      if (!signal.aborted) await act();
    }
  }

  /** Each kind comes once before any comes again: a short run leaves few out. */
  *#inTurns() {
    for (;;) {
      const left = [...this.#kinds];
      while (left.length > 0) yield left.splice(this.#random.between(0, left.length - 1), 1)[0];
    }
  }

  async #note(kind, target, work) {
    const from = Date.now();
    await work();
    this.done.push({ kind, target, from, until: Date.now() });
  }

  #kill() {
    const { members } = this.#platform;
    if (members.length === 0) return undefined;
    let left = members.filter((member) => this.#spared.includes(member.name));
    if (left.length === 0) {
      this.#spared = members.map((member) => member.name);
      left = members;
    }
    const { name, pid } = this.#random.pick(left);
    this.#spared = this.#spared.filter((spared) => spared !== name);
    return this.#note('kill', name, async () => this.#platform.signal(pid, 'SIGKILL'));
  }

  #cutCommits() {
    return this.#note('cut', 'commits', async () => {
      this.#platform.cutter.arm(0.5);
      await delay(this.#random.between(3_000, 6_000));
      this.#platform.cutter.arm(0);
    });
  }

  #outage(part) {
    return this.#note('outage', part, async () => {
      await this.#platform.takeDown(part);
      await delay(this.#random.between(500, 6_000));
      await this.#platform.bringBack(part);
    });
  }

  /** Longer than a session: the group goes on without it, and then it comes back and believes that it is a member. */
  #freeze(service) {
    const members = this.#platform.members.filter(({ name }) => name.startsWith(service));
    if (members.length === 0) return undefined;
    const { name, pid } = this.#random.pick(members);
    return this.#note('freeze', name, async () => {
      this.#platform.signal(pid, 'SIGSTOP');
      await delay(this.#random.between(7_000, 9_000));
      this.#platform.signal(pid, 'SIGCONT');
    });
  }

  #endBackends() {
    return this.#note('terminate', 'postgres', () =>
      this.#sql(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database()`,
      ),
    );
  }

  /** One backend that dies takes the whole server through its recovery. */
  #crashPostgres() {
    return this.#note('crash', 'postgres', async () => {
      const [row] = await this.#sql(
        'SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database() LIMIT 1',
      );
      if (row) this.#platform.signal(row.pid, 'SIGKILL');
      // It has ended when sessions are accepted again.
      for (let look = 0; look < 600 && (await this.#sql('SELECT 1')).length === 0; look++) await delay(100);
    });
  }

  #crashKafka() {
    return this.#note('crash', 'kafka', async () => {
      const kafka = this.#platform.book.processes.find(({ name }) => name === 'kafka');
      if (kafka) this.#platform.signal(kafka.pid, 'SIGKILL');
    });
  }

  async #sql(statement) {
    const client = new pg.Client({ connectionString: this.#platform.book.postgres, connectionTimeoutMillis: 5_000 });
    client.on('error', () => {});
    try {
      await client.connect();
      return (await client.query(statement)).rows;
    } catch {
      return [];
    } finally {
      await client.end().catch(() => {});
    }
  }
}
