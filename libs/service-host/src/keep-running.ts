import { spawn, type ChildProcess } from 'node:child_process';
import { constants } from 'node:os';
import { performance } from 'node:perf_hooks';
import { Launches, type LaunchNotice, type ProcessEnd } from './launches.js';

export interface KeepRunningOptions {
  /** What Node runs: a program and its arguments. */
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly report: (fields: object, message: string) => void;
}

/** Short enough that suspects are tried in seconds: a start takes longer than the first waits. */
const backOff = { firstMs: 100, maxMs: 2_000, steadyMs: 30_000 };

/**
 * Runs a program and starts it again whenever it ends by its own fault, telling the next run so. Every other end is its
 * own: a launcher above, Docker or Kubernetes, decides what follows.
 */
export class KeepRunning {
  private readonly launches = new Launches();
  private child: ChildProcess | undefined;
  private isStopping = false;
  private isRemoved = false;
  private failures = 0;
  private wake: () => void = () => {};

  constructor(private readonly options: KeepRunningOptions) {}

  /** @returns the exit code to end with: the program's, or 128 and the number of its signal */
  async run(): Promise<number> {
    for (;;) {
      const startedAt = performance.now();
      const end = await this.runUntilHeard();
      const reason = this.launches.end(end, performance.now());
      if (reason === undefined || this.isStopping) return exitCodeOf(end);
      this.failures = performance.now() - startedAt > backOff.steadyMs ? 1 : this.failures + 1;
      const delayMs = Math.min(backOff.maxMs, backOff.firstMs * 2 ** (this.failures - 1));
      this.options.report({ reason, delayMs }, 'the process ended by its own fault; it is started again');
      await this.pause(delayMs);
      if (this.isStopping) return 0;
    }
  }

  /** Asks the program to stop; asked again, it stops at once. */
  stop(): void {
    this.isStopping = true;
    this.wake();
    this.child?.kill('SIGTERM');
  }

  /** Tells the program that it will not come back after its next stop: the run of now, and each that begins from now on. */
  announceRemoval(): void {
    this.isRemoved = true;
    this.child?.kill('SIGUSR2');
  }

  /** A run that ends of SIGUSR2 could not hear it yet: the one in its place is told, and all that this one was told. */
  private async runUntilHeard(): Promise<ProcessEnd> {
    const begun = this.launches.begin(performance.now());
    for (;;) {
      const end = await this.runOnce({ ...begun, ...(this.isRemoved && { isRemoved: true }) });
      if (!this.isRemoved || end.signal !== 'SIGUSR2' || this.isStopping) return end;
    }
  }

  private runOnce(notice: LaunchNotice): Promise<ProcessEnd> {
    const { args, env } = this.options;
    const child = spawn(process.execPath, [...process.execArgv, ...args], {
      // Held open: a program whose launcher is killed stops by itself.
      stdio: ['pipe', 'inherit', 'inherit'],
      env: { ...env, ANABRANCH_PARENT_PIPE: '1', ANABRANCH_LAUNCH: JSON.stringify(notice) },
    });
    this.child = child;
    child.stdin?.on('error', () => {});
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (code, signal) => resolve({ code, signal }));
    });
  }

  private pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

function exitCodeOf({ code, signal }: ProcessEnd): number {
  return code ?? 128 + (constants.signals[signal as NodeJS.Signals] ?? 0);
}
