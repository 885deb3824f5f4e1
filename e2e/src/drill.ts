// Fail points, armed from outside: `ANABRANCH_FAIL_POINT_DIR` of the services under drill is the folder.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FailPoint } from '@anabranch/failures/fail-points';
import { eventually } from './platform.js';

export interface ArmedPoint {
  /** Resolves when a process has reached it, and is dead. */
  hit(): Promise<void>;
}

export interface DrillGround {
  readonly folder: string;
  /** Costs the next process of the service that gets there its life. */
  arm(point: FailPoint, service: string): ArmedPoint;
  remove(): void;
}

export const createDrillGround = (): DrillGround => {
  const folder = mkdtempSync(join(tmpdir(), 'anabranch-drill-'));
  return {
    folder,
    arm(point, service) {
      const file = join(folder, `${point}@${service}`);
      writeFileSync(file, '');
      return {
        hit: async () => {
          await eventually(`${service} reaches ${point}`, () => Promise.resolve(existsSync(file) ? undefined : true));
        },
      };
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
};
