import { StopService } from '@anabranch/failures';
import type { Logger } from '../logger.js';
import type { FoundPosition } from './start-positions.js';

/** What happens when records were removed from the log before the group had handled them. */
export type ExpiredPolicy = 'stop' | 'continue';

/**
 * Where a partition goes on. An offset outside of the log is never passed over in silence: what lies between was not
 * handled, and nobody can handle it any more.
 * @throws StopService that says what is lost and what to do
 */
export function startOf(found: FoundPosition, group: string, options: { policy: ExpiredPolicy; log: Logger }): number {
  const { topic, partition, wanted, low, high } = found;
  if (wanted === undefined) return low;
  if (wanted >= low && wanted <= high) return wanted;
  const place = `The group ${group} would go on at offset ${wanted} of ${topic}/${partition}`;
  if (wanted > high) {
    // Also with "continue": the log was cut or made anew, and which of its records are known is for a person to say.
    throw new StopService(
      `${place}, but the log ends at ${high}: it was cut, or made anew. Set the group’s offset to where it shall go on.`,
    );
  }
  if (options.policy === 'stop') {
    throw new StopService(
      `${place}, but the log begins at ${low}: ${low - wanted} offsets were removed before they were handled. ` +
        'Restore them, or set the group’s offset, or set whenExpired to "continue" to go on with what is left.',
    );
  }
  options.log.error(
    { group, topic, partition, wanted, low },
    'records were removed before they were handled; going on with what is left',
  );
  return low;
}
