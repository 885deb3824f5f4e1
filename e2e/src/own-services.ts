// Services of the platform under test with other settings: its own ones are taken down, and processes of the spec's stand in
// for them, over the same Kafka, registry, Postgres and files.
import { createServer } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { NodeChild } from '@anabranch/test-support';
import { addressBook, command, eventually } from './platform.js';

const root = resolve(import.meta.dirname, '../..');

export interface OwnServiceOptions {
  /** Added to the settings that every service gets. */
  env?: Record<string, string>;
  /** For Node itself, such as `--import`. */
  nodeOptions?: readonly string[];
  /** Another program than the service's own. */
  main?: string;
  instance?: number;
}

/** One process of a service, started again whenever it was killed. */
export interface OwnService {
  readonly name: string;
  readonly pid: number;
  /** How often it was started. */
  readonly starts: number;
  /** Where its API is, for a service that has one. */
  readonly url: string;
  /** Resolves when it says that it takes work, also one that is just being started again. */
  ready(): Promise<void>;
  kill(): void;
  /** From now on it stays down when it is killed, until `resume`. */
  hold(): void;
  resume(): void;
  /** As an operator stops it; `isRemoved`: for good. */
  stop(options?: { isRemoved?: boolean }): Promise<void>;
}

export interface OwnServices {
  /** Takes the platform's own process down, unless this is a further instance, and starts another. */
  start(name: string, options?: OwnServiceOptions): Promise<OwnService>;
  /** Stops all of them, and brings the platform's own ones back. */
  end(): Promise<void>;
}

const freePort = (): Promise<number> =>
  new Promise((done) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => done(port));
    });
  });

const settings = (instance: number, httpPort: number): Record<string, string> => {
  const { kafka, registry, postgres } = addressBook();
  return {
    ANABRANCH_KAFKA_BROKERS: kafka,
    ANABRANCH_REGISTRY_URL: registry,
    ANABRANCH_POSTGRES_URL: postgres,
    ANABRANCH_OBJECT_STORE_DIR: join(dirname(process.env['ANABRANCH_E2E_STATE'] ?? ''), 'objects'),
    ANABRANCH_HTTP_PORT: String(httpPort),
    ANABRANCH_INSTANCE: String(instance),
  };
};

class Kept implements OwnService {
  starts = 0;
  private child: NodeChild;
  private isWanted = true;
  private isHeld = false;
  private resumed = Promise.withResolvers<void>();
  private running: Promise<void>;

  constructor(
    readonly name: string,
    readonly url: string,
    private readonly launch: () => NodeChild,
  ) {
    this.child = this.next();
    this.running = this.keepUp();
    // Whoever waits for the process hears of it.
    this.running.catch(() => undefined);
  }

  get pid(): number {
    return this.child.pid;
  }

  async ready(): Promise<void> {
    for (;;) {
      const { child } = this;
      const line = await child.message('ready', 60_000).catch((error: unknown) => {
        if (child === this.child && this.isWanted && !this.isHeld) throw error;
      });
      if (child === this.child && line !== undefined && (await isHealthy(line['healthPort'] as number))) return;
    }
  }

  kill(): void {
    this.child.kill('SIGKILL');
  }

  hold(): void {
    this.isHeld = true;
  }

  resume(): void {
    this.isHeld = false;
    this.resumed.resolve();
    this.resumed = Promise.withResolvers<void>();
  }

  async stop({ isRemoved = false } = {}): Promise<void> {
    this.isWanted = false;
    this.resume();
    if (isRemoved) this.child.kill('SIGUSR2');
    if (isRemoved)
      await this.child.message(
        'will not come back after its next stop: it gives its places in consumer groups up then',
      );
    this.child.kill('SIGTERM');
    await this.running;
  }

  private async keepUp(): Promise<void> {
    for (;;) {
      const { signal, code } = await this.child.exit;
      if (!this.isWanted) return;
      // Only what kills from outside is survived in silence.
      if (signal !== 'SIGKILL')
        throw new Error(`${this.name} ended with ${signal ?? code}\n${this.child.transcript()}`);
      if (this.isHeld) await this.resumed.promise;
      if (!this.isWanted) return;
      this.child = this.next();
    }
  }

  private next(): NodeChild {
    this.starts += 1;
    return this.launch();
  }
}

/** False when it has ended meanwhile. */
const isHealthy = (port: number): Promise<boolean> =>
  eventually('a service is ready', async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/health/ready`).catch(() => null);
    return answer === null || answer.ok ? answer !== null : undefined;
  });

export const createOwnServices = (): OwnServices => {
  const own: OwnService[] = [];
  const taken = new Set<string>();
  return {
    async start(name, { env = {}, nodeOptions = [], main = `services/${name}/dist/main.js`, instance = 0 } = {}) {
      if (instance === 0 && !taken.has(name)) await command('stop', name);
      if (instance === 0) taken.add(name);
      const port = await freePort();
      const service = new Kept(`${name}-${instance}`, `http://127.0.0.1:${port}`, () =>
        NodeChild.start({
          args: ['--enable-source-maps', ...nodeOptions, main],
          env: { ...settings(instance, port), ...env },
          cwd: root,
        }),
      );
      own.push(service);
      await service.ready();
      return service;
    },
    async end() {
      await Promise.all(own.splice(0).map((service) => service.stop()));
      if (taken.size > 0) await command('start', '--only', ...taken);
    },
  };
};
