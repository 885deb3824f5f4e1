import { databaseConfig } from '@anabranch/database';
import { jobTimesConfig } from '@anabranch/database/jobs';
import { consumerConfig, kafkaConfig, sessionTiming } from '@anabranch/kafka/config';
import { objectStoreConfig } from '@anabranch/object-store';
import { z } from 'zod';

const settings = z.object({
  ...databaseConfig.shape,
  ...jobTimesConfig.shape,
  ...kafkaConfig.shape,
  ...consumerConfig.shape,
  ...objectStoreConfig.shape,
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
