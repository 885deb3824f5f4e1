import type { HealthCheck } from '@anabranch/service-host';

interface DependencyWatchOptions {
  name: string;
  /** Rejects when the dependency is not available. */
  check(): Promise<void>;
  everyMs?: number;
}

/** Looks at a dependency now and then, so that a health check can tell its state without asking it. */
export interface DependencyWatch {
  health: HealthCheck;
  stop(): void;
}

/** Starts to watch; the first look is taken at once. */
export function watchDependency({ name, check, everyMs = 2_000 }: DependencyWatchOptions): DependencyWatch {
  let reason: string | undefined = `${name} was not looked at yet`;
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;

  const look = async (): Promise<void> => {
    try {
      await check();
      reason = undefined;
    } catch (error) {
      reason = error instanceof Error ? error.message : `${name} is not available`;
    }
    // One look after the other: a dependency that hangs must not be asked more and more.
    if (!isStopped) timer = setTimeout(() => void look(), everyMs).unref();
  };
  void look();

  return {
    health: () => (reason === undefined ? { ready: true } : { ready: false, reason }),
    stop: () => {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
