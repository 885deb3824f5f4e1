import { StopService } from '@anabranch/failures';
import type { HealthFault } from './health.js';

const askEveryMs = 10_000;

/**
 * Reports once when a check of progress fails: the process should end, so that whoever started it starts it again. Not
 * everywhere is there somebody who asks /health/live.
 */
export function watchLiveness(faultsOf: () => readonly HealthFault[], onStuck: (error: StopService) => void): void {
  const timer = setInterval(() => {
    const faults = faultsOf();
    if (faults.length === 0) return;
    clearInterval(timer);
    const reasons = faults.map(({ service, check, reason }) => `${service} (${check}): ${reason}`);
    onStuck(new StopService(`No progress, so only a restart helps: ${reasons.join('; ')}.`));
  }, askEveryMs);
  timer.unref();
}
