import { deadlineMaxMs } from '@anabranch/contracts';
import { databaseConfig } from '@anabranch/database';
import { consumerConfig, kafkaConfig } from '@anabranch/kafka';
import { objectStoreConfig } from '@anabranch/object-store';
import { z } from 'zod';

/** All settings of the service. */
export const collectionConfig = z.object({
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
});

export type CollectionConfig = z.infer<typeof collectionConfig>;
