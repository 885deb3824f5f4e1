import { deadlineMaxMs } from '@anabranch/contracts';
import { databaseConfig } from '@anabranch/database';
import { consumerConfig, kafkaConfig, sessionTiming } from '@anabranch/kafka/config';
import { objectStoreConfig } from '@anabranch/object-store';
import { z } from 'zod';

const settings = z.object({
  ...databaseConfig.shape,
  ...kafkaConfig.shape,
  ...consumerConfig.shape,
  ...objectStoreConfig.shape,
  // The same setting as ingestion's: a document that came straight through Kafka gets the same deadline.
  defaultDeadlineMs: z.coerce
    .number()
    .int()
    .min(1)
    .max(deadlineMaxMs)
    .default(600_000)
    .describe('the milliseconds that a document without a deadline of its own has from acceptance'),
  // The same setting as ingestion's, for the same reason.
  supersessionGraceMs: z.coerce
    .number()
    .int()
    .min(0)
    .max(deadlineMaxMs)
    .optional()
    .describe(
      'the milliseconds that a document may be without a published result before an older job runs on beside the newest one; unless given, the deadline',
    ),
  ledgerRetentionDays: z.coerce
    .number()
    .int()
    .min(8)
    .max(3_650)
    .default(90)
    .describe(
      'the days for which answers of models are kept, and so not bought again; longer than topics keep their records',
    ),
});

/** All settings of the service. */
export const collectionConfig = settings.refine(sessionTiming.isMet, sessionTiming.params);

export type CollectionConfig = z.infer<typeof collectionConfig>;
