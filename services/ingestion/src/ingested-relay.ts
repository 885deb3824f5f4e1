import { childTraceparent, type DocumentIngested } from '@anabranch/contracts';
import type { Database } from '@anabranch/database';
import { readIngestedEvents, type RenderedEvent } from '@anabranch/database/jobs';
import { createRelay, type Relay } from '@anabranch/database/outbox';
import { createEventProducer, createSchemaRegistry, type KafkaConfig } from '@anabranch/kafka';
import type { ServiceContext } from '@anabranch/service-host';

const topic = 'document.ingested';

/**
 * Publishes what was accepted. It waits for a Kafka or a registry that is down, while documents are accepted all the same:
 * that is what the outbox is for.
 */
export function createIngestedRelay(
  db: Database,
  config: KafkaConfig,
  { log, metrics, maxOutstanding }: Pick<ServiceContext, 'log' | 'metrics'> & { maxOutstanding: number },
): Relay {
  const registry = createSchemaRegistry({ config });
  return createRelay<RenderedEvent<DocumentIngested>>(db, {
    topic,
    render: (jobIds) => readIngestedEvents(db, jobIds),
    openProducer: () => {
      const producer = createEventProducer({ config, registry, metrics, log });
      return {
        publish: ({ event, traceparent }) =>
          producer.publish(topic, event, { headers: { traceparent: childTraceparent(traceparent) } }),
        stop: () => producer.stop(),
      };
    },
    maxOutstanding,
    log,
    metrics,
  });
}
