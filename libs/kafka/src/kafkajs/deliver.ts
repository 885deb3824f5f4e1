import { StopService } from '@anabranch/failures';
import type { Batch, ConsumerEndBatchProcessEvent, EachBatchPayload } from 'kafkajs';
import type { BrokerListener } from '../broker-port.js';
import type { FetchedBatch } from './fetch-response.js';
import { readRecords } from './record-reader.js';

/** Hands a fetch on and moves the fetch position; what is committed is decided elsewhere. Never throws. */
export function deliver(listener: BrokerListener, { batch, resolveOffset }: EachBatchPayload): Promise<void> | void {
  const { topic, partition, fetchedOffset } = batch as Batch & { readonly fetchedOffset: string };
  try {
    const batches = batch.messages as unknown as readonly FetchedBatch[];
    const caughtUp = listener.onBatch({
      topic,
      partition,
      // A batch may begin before the offset that was asked for.
      records: batches.flatMap(({ bytes }) => readRecords(bytes, batch, Number(fetchedOffset))),
      lastOffset: Number(batch.lastOffset()),
      endOffset: Number(batch.highWatermark),
    });
    resolveOffset(batch.lastOffset());
    return caughtUp;
  } catch (error) {
    // Out of here it would make kafkajs restart the consumer, again and again.
    const message = `A batch of ${topic}/${partition} could not be taken: ${String(error)}`;
    listener.onFatal(new StopService(message, { cause: error }));
  }
}

/** A batch of which nothing is visible never reaches `eachBatch`; without this the watermark would stay behind it. */
export function passOver(listener: BrokerListener, { payload }: ConsumerEndBatchProcessEvent): void {
  if (payload.batchSize > 0) return;
  const { topic, partition, lastOffset, highWatermark } = payload;
  void listener.onBatch({
    topic,
    partition,
    records: [],
    lastOffset: Number(lastOffset),
    endOffset: Number(highWatermark),
  });
}
