// A platform of a spec's own, for what would disturb the one that the other specs share: starting, stopping, killing.
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { eventually, type AddressBook } from './platform.js';

const root = resolve(import.meta.dirname, '../..');
const portVariables = ['HTTP', 'KAFKA', 'KAFKA_CONTROLLER', 'REGISTRY', 'REGISTRY_MANAGEMENT', 'POSTGRES'];

export interface Ended {
  code: number | null;
  output: string;
}

export interface OwnPlatform {
  /** Ports and folders of its own, as environment variables. */
  env: Record<string, string>;
  /** Runs a command of the command line to its end. */
  cli(args: string[], extra?: Record<string, string>): Promise<Ended>;
  /** Starts the launcher and resolves when the platform is ready. */
  start(...options: string[]): Promise<{ launcher: ChildProcess; book: AddressBook; ended: Promise<Ended> }>;
  book(): AddressBook;
  isReady(): boolean;
  /** Removes all data. */
  remove(): Promise<void>;
}

const freePort = (): Promise<number> =>
  new Promise((done) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => done(port));
    });
  });

const collect = (child: ChildProcess): Promise<Ended> => {
  let output = '';
  child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  return new Promise((done) => child.once('close', (code) => done({ code, output })));
};

export const createOwnPlatform = async (): Promise<OwnPlatform> => {
  const stateDir = mkdtempSync(join(tmpdir(), 'anabranch-e2e-own-'));
  const ports: [string, string][] = [];
  for (const name of portVariables) ports.push([`ANABRANCH_${name}_PORT`, String(await freePort())]);
  const env = { ...Object.fromEntries(ports), ANABRANCH_STATE_DIR: stateDir };
  const local = join(stateDir, 'local.json');
  const run = (args: string[], extra: Record<string, string> = {}): ChildProcess =>
    spawn(process.execPath, ['tools/stack/cli.mjs', ...args], {
      cwd: root,
      env: { ...process.env, ...env, ...extra, NODE_OPTIONS: '' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  const book = (): AddressBook => JSON.parse(readFileSync(local, 'utf8')) as AddressBook;
  const cli = (args: string[], extra?: Record<string, string>): Promise<Ended> => collect(run(args, extra));
  return {
    env,
    cli,
    book,
    isReady: () => existsSync(local),
    async start(...options) {
      const launcher = run(['start', '--no-build', ...options]);
      const ended = collect(launcher);
      let early: Ended | undefined;
      void ended.then((end) => (early = end));
      await eventually('the platform is ready', async () => (existsSync(local) || early ? true : undefined), 120_000);
      if (early) throw new Error(`the launcher ended with ${early.code}: ${early.output}`);
      return { launcher, book: book(), ended };
    },
    async remove() {
      await cli(['reset']);
      rmSync(stateDir, { recursive: true, force: true });
    },
  };
};
