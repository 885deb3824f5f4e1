import { childTraceparent, requestTopic } from '@anabranch/contracts';
import type { Database } from '@anabranch/database';
import { commandOutbox, readRequestedEvents, type RenderedCommand } from '@anabranch/database/jobs';
import { createRelay, type Relay } from '@anabranch/database/outbox';
import { createEventProducer, type EventProducerOptions } from '@anabranch/kafka';

/** Publishes what analyses are asked to do, each command on the topic of its analysis, in the trace of its job. */
export function createCommandRelay(db: Database, options: EventProducerOptions): Relay {
  const { log, metrics } = options;
  return createRelay<RenderedCommand>(db, {
    topic: commandOutbox,
    render: (commandIds) => readRequestedEvents(db, commandIds),
    openProducer: () => {
      const producer = createEventProducer(options);
      return {
        publish: ({ event, analysis, traceparent }) =>
          producer.publish(requestTopic(analysis), event, { headers: { traceparent: childTraceparent(traceparent) } }),
        stop: () => producer.stop(),
      };
    },
    log,
    metrics,
  });
}
