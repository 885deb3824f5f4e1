import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** A JSON line that a child wrote to its standard output. */
export type LogLine = Record<string, unknown>;

export interface ChildOptions {
  args: readonly string[];
  env?: Record<string, string>;
  cwd?: string;
}

/** How a child ended. */
export interface ChildExit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** A Node process under test: what it logs can be awaited, and so can its end. */
export class NodeChild {
  /** Every JSON line so far. */
  readonly lines: LogLine[] = [];
  /** Everything on standard error so far. */
  stderr = '';
  /** Resolves when the process has ended and all of its output was read. */
  readonly exit: Promise<ChildExit>;
  private readonly waiting = new Set<() => void>();

  private constructor(readonly process: ChildProcessWithoutNullStreams) {
    createInterface(process.stdout).on('line', (line) => {
      if (line.startsWith('{')) this.lines.push(JSON.parse(line) as LogLine);
      this.wake();
    });
    process.stderr.on('data', (chunk: Buffer) => (this.stderr += chunk.toString()));
    this.exit = once(process, 'close').then(([code, signal]) => {
      this.wake();
      return { code: code as number | null, signal: signal as NodeJS.Signals | null };
    });
  }

  /** Starts Node with nothing of the caller's environment but PATH and HOME, and standard input held open. */
  static start({ args, env = {}, cwd }: ChildOptions): NodeChild {
    const inherited = { PATH: process.env['PATH'], HOME: process.env['HOME'] };
    return new NodeChild(spawn(process.execPath, args, { cwd, env: { ...inherited, ...env }, stdio: 'pipe' }));
  }

  get pid(): number {
    return this.process.pid ?? 0;
  }

  kill(signal: NodeJS.Signals): void {
    this.process.kill(signal);
  }

  /** Closes standard input, as the death of a launcher would. */
  closeInput(): void {
    this.process.stdin.end();
  }

  /** The first line, already written or still to come, that `matches`. Throws when the process ends without it. */
  async line(matches: (line: LogLine) => boolean, timeoutMs = 60_000): Promise<LogLine> {
    const timeout = AbortSignal.timeout(timeoutMs);
    for (;;) {
      const found = this.lines.find(matches);
      if (found) return found;
      const ended = this.process.exitCode !== null || this.process.signalCode !== null;
      if (ended && this.process.stdout.readableEnded)
        throw new Error(`ended without the awaited line\n${this.transcript()}`);
      if (timeout.aborted) throw new Error(`no such line within ${timeoutMs} ms\n${this.transcript()}`);
      await this.change(timeout);
    }
  }

  /** The first line whose `msg` is this. */
  message(msg: string, timeoutMs?: number): Promise<LogLine> {
    return this.line((line) => line['msg'] === msg, timeoutMs);
  }

  /** All output, for a failure's message. */
  transcript(): string {
    return `${this.lines.map((line) => JSON.stringify(line)).join('\n')}\n${this.stderr}`;
  }

  private wake(): void {
    for (const resolve of this.waiting) resolve();
    this.waiting.clear();
  }

  private change(timeout: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      this.waiting.add(resolve);
      timeout.addEventListener('abort', () => resolve(), { once: true });
    });
  }
}
