import { DependencyUnavailable } from '@anabranch/failures';
import type { KafkaConfig } from '../kafka-config.js';
import type { Logger } from '../logger.js';
import { createAdmin } from './create-admin.js';
import type { SchemaListener } from './registry-admin.js';
import { startUpCheck, type StartUpNeeds } from './start-up-check.js';

export interface SetUpWaitOptions {
  readonly config: KafkaConfig;
  /** Asked for each time: they may change meanwhile. */
  readonly needs: () => StartUpNeeds;
  /** What the check finds out about schemas need not be asked again. */
  readonly onSchema: SchemaListener;
  readonly log: Logger;
}

const askAgainMs = 1_000;

/**
 * Waits until broker and registry answer, and then checks that they are set up: that one of them is down is no reason to
 * exit, that a topic is missing is one.
 */
export class SetUpWait {
  private state: 'asking' | 'done' | 'cancelled' = 'asking';
  private fault: string | undefined;
  private wake: (() => void) | undefined;

  constructor(private readonly options: SetUpWaitOptions) {}

  /** False when it was cancelled. @throws StopService */
  async done(): Promise<boolean> {
    const { config, needs, onSchema, log } = this.options;
    const admin = createAdmin(config, log, onSchema);
    try {
      while (this.state === 'asking') {
        const deviations = await this.check(() => startUpCheck(admin, config, needs()));
        if (deviations === undefined) continue;
        for (const deviation of deviations) log.warn({}, deviation);
        if (this.state === 'asking') this.state = 'done';
      }
    } finally {
      await admin.close();
    }
    return this.state === 'done';
  }

  get isDone(): boolean {
    return this.state === 'done';
  }

  cancel(): void {
    if (this.state === 'asking') this.state = 'cancelled';
    this.wake?.();
  }

  /** What keeps the start up; undefined when it is over. */
  health(): { ready: false; reasons: string[] } | undefined {
    if (this.state === 'done') return undefined;
    return { ready: false, reasons: [this.fault ?? 'the start-up check is not through'] };
  }

  /** Undefined when nobody answered, after a wait. */
  private async check(ask: () => Promise<string[]>): Promise<string[] | undefined> {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof DependencyUnavailable)) throw error;
      if (this.fault !== error.message) this.options.log.warn({ err: error }, 'waiting for a dependency');
      this.fault = error.message;
      if (this.state !== 'asking') return undefined;
      const { promise, resolve } = Promise.withResolvers<void>();
      this.wake = resolve;
      // Not the clock's, whose timers keep no process alive: while nobody answers, no socket does, either.
      const timer = setTimeout(resolve, askAgainMs);
      await promise;
      clearTimeout(timer);
      return undefined;
    }
  }
}
