import { databaseConfig } from '@anabranch/database';
import { jobTimesConfig } from '@anabranch/database/jobs';
import { kafkaConfig } from '@anabranch/kafka/config';
import { objectStoreConfig } from '@anabranch/object-store';
import { rulesConfig, rulesTiming } from '@anabranch/rules';
import { z } from 'zod';
import { jsonMaxBytes } from './documents/json-body.js';

const settings = z.object({
  ...databaseConfig.shape,
  ...jobTimesConfig.shape,
  ...kafkaConfig.shape,
  ...objectStoreConfig.shape,
  ...rulesConfig.shape,
  httpHost: z.string().default('127.0.0.1').describe('the address that the API listens on; 0.0.0.0 in a container'),
  httpPort: z.coerce
    .number()
    .int()
    .min(0)
    .max(65_535)
    .default(3_000)
    .describe('the port of the API; 0 takes any free one'),
  maxDocumentBytes: z.coerce
    .number()
    .int()
    .min(1)
    .max(268_435_456)
    .default(10_485_760)
    .describe('the largest document that the API accepts, in bytes'),
  maxBodyBytesInFlight: z.coerce
    .number()
    .int()
    .min(1)
    .default(134_217_728)
    .describe('the bytes of all request bodies together that the API holds at a time; beyond, it answers 503'),
  tenantPostsPerSecond: z.coerce
    .number()
    .int()
    .min(0)
    .default(5_000)
    .describe('the documents that a tenant may send in a second, to each process of ingestion; 0 is no limit'),
  tenantUnsettledJobs: z.coerce
    .number()
    .int()
    .min(0)
    .default(200_000)
    .describe(
      'the jobs of one tenant that may be unsettled; beyond, new documents are answered with 429; 0 is no limit',
    ),
  maxWaitingEvents: z.coerce
    .number()
    .int()
    .min(0)
    .default(1_000_000)
    .describe(
      'the accepted documents that may wait to be published, such as while Kafka is down; beyond, new ones are answered with 503; 0 is no limit',
    ),
  tenantOutstandingJobs: z.coerce
    .number()
    .int()
    .min(0)
    .default(5_000)
    .describe(
      'the jobs of one tenant that may be published and unsettled; its further documents wait in the outbox, behind nobody else; 0 is no limit',
    ),
  idempotencyKeyMs: z.coerce
    .number()
    .int()
    .min(60_000)
    .default(86_400_000)
    .describe('the milliseconds that an Idempotency-Key is remembered at least'),
  cacheMs: z.coerce
    .number()
    .int()
    .min(0)
    .max(60_000)
    .default(5_000)
    .describe('the milliseconds that API keys and the catalogue are remembered; a revoked key works that long'),
});

const holdsLargest = ({ maxBodyBytesInFlight, maxDocumentBytes }: z.infer<typeof settings>): boolean =>
  maxBodyBytesInFlight >= jsonMaxBytes(maxDocumentBytes);

/** All settings of the service. */
export const ingestionConfig = settings.refine(rulesTiming.isMet, rulesTiming.params).refine(holdsLargest, {
  path: ['maxBodyBytesInFlight'],
  message: 'must be at least twice ANABRANCH_MAX_DOCUMENT_BYTES and 65536 more: so long may a document be as JSON',
});

export type IngestionConfig = z.infer<typeof ingestionConfig>;
