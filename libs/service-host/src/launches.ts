// What a launcher needs to know about ends of a process. Without imports of ours: `npm start` loads it, too.
import { randomUUID } from 'node:crypto';

/** How a process ended, as `child_process` says it. */
export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: string | null;
}

/** The exit code of a process that ends by its own fault, for an error that nobody caught. EX_SOFTWARE of sysexits.h. */
export const ownFaultExitCode = 70;

/**
 * What a process raises on itself: V8 when the heap is at its limit or at a fatal error, `abort`, the watchdog, and
 * native code. SIGKILL, SIGTERM and the like come from outside, the kernel's out-of-memory killer included.
 */
const ownSignals = { SIGILL: 4, SIGTRAP: 5, SIGABRT: 6, SIGBUS: 7, SIGFPE: 8, SIGSEGV: 11, SIGSYS: 31 };

/** Node's own for fatal errors, ours, and a shell's for the signals. @see https://nodejs.org/api/process.html#exit-codes */
const ownCodes = new Set([5, 6, 7, ownFaultExitCode, ...Object.values(ownSignals).map((number) => 128 + number)]);

/** What the end was, when the process caused it itself; undefined when it was stopped, gave up in order, or was killed. */
export function ownFaultOf({ code, signal }: ProcessEnd): string | undefined {
  if (signal !== null) return signal in ownSignals ? signal : undefined;
  return code !== null && ownCodes.has(code) ? `exit code ${code}` : undefined;
}

/** What a process is told about its start, as JSON in `ANABRANCH_LAUNCH`. */
export interface LaunchNotice {
  readonly run: string;
  /** Ends by its own fault that its launcher has seen. */
  readonly ownExits: number;
  /** There when the run before it ended so. */
  readonly ownExit?: { readonly run: string; readonly reason: string; readonly ranMs: number };
  /** There when it was said before this run began that the process will not come back after its next stop. */
  readonly isRemoved?: true;
}

/** The runs of one process, one after the other. A launcher keeps one of these and tells each run about the one before. */
export class Launches {
  private ownExits = 0;
  private ownExit: LaunchNotice['ownExit'];
  private run = '';
  private startedAt = 0;

  /** A run starts now. Only the next one is told of an end: told twice, it would count twice. */
  begin(now: number): LaunchNotice {
    const { ownExits, ownExit } = this;
    this.ownExit = undefined;
    this.run = randomUUID().replaceAll('-', '');
    this.startedAt = now;
    return { run: this.run, ownExits, ...(ownExit !== undefined && { ownExit }) };
  }

  /** It has ended. Returns the reason when that was its own fault. */
  end(end: ProcessEnd, now: number): string | undefined {
    const reason = ownFaultOf(end);
    if (reason === undefined) return undefined;
    this.ownExits++;
    this.ownExit = { run: this.run, reason, ranMs: Math.max(0, Math.round(now - this.startedAt)) };
    return reason;
  }
}
