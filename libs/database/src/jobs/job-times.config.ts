import { deadlineMaxMs } from '@anabranch/contracts';
import { z } from 'zod';

const duration = z.coerce.number().int().max(deadlineMaxMs);

/** How long jobs may take: the same for documents that come over HTTP and for those that come straight through Kafka. */
export const jobTimesConfig = z.object({
  defaultDeadlineMs: duration
    .min(1)
    .default(600_000)
    .describe('the milliseconds that a document without a deadline of its own has from acceptance'),
  supersessionGraceMs: duration
    .min(0)
    .optional()
    .describe(
      'the milliseconds that a document may be without a published result before an older job runs on beside the newest one; unless given, the deadline',
    ),
});
