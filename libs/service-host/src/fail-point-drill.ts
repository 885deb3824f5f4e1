import { unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { armFailPoints } from '@anabranch/failures/fail-points';

export interface DrillOptions {
  /** Where points are armed: by a file each, named `POINT`, or `POINT@SERVICE` for the processes of one service. */
  readonly folder: string;
  readonly services: readonly string[];
}

/**
 * Makes the process kill itself at armed fail points. The file is removed first: so each costs one process its life, over
 * all of them, and whoever armed it sees that it was reached.
 */
export function startDrill({ folder, services }: DrillOptions): void {
  armFailPoints((point) => {
    const names = [point, ...services.map((service) => `${point}@${service}`)];
    // SIGKILL, as an operator or the kernel would: nothing is flushed, closed or given back.
    if (names.some((name) => isRemoved(join(folder, name)))) process.kill(process.pid, 'SIGKILL');
  });
}

/** Of several processes that are there at once, one removes the file. */
function isRemoved(path: string): boolean {
  try {
    unlinkSync(path);
    return true;
  } catch {
    return false;
  }
}
