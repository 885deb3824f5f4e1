import { childTraceparent, type DocumentEnriched } from '@anabranch/contracts';
import type { Database } from '@anabranch/database';
import { readEnrichedEvents, type RenderedEvent } from '@anabranch/database/jobs';
import { createRelay, type Relay } from '@anabranch/database/outbox';
import { createEventProducer, type EventProducerOptions } from '@anabranch/kafka';

const topic = 'document.enriched';

/** Publishes settlements, as CloudEvents and in the trace that their jobs began in. */
export function createEnrichedRelay(db: Database, options: EventProducerOptions): Relay {
  const { log, metrics } = options;
  return createRelay<RenderedEvent<DocumentEnriched>>(db, {
    topic,
    render: (settlementIds) => readEnrichedEvents(db, settlementIds),
    openProducer: () => {
      const producer = createEventProducer(options);
      return {
        publish: ({ event, traceparent }) =>
          producer.publish(topic, event, { headers: { traceparent: childTraceparent(traceparent) } }),
        stop: () => producer.stop(),
      };
    },
    log,
    metrics,
  });
}
