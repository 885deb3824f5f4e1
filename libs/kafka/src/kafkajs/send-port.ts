import { setTimeout as delay } from 'node:timers/promises';
import { DependencyUnavailable } from '@anabranch/failures';
import type { Admin, Kafka, Message, PartitionerArgs, Producer, RecordMetadata } from 'kafkajs';
import { within, type Clock } from '../clock.js';
import type { KafkaConfig } from '../kafka-config.js';
import type { Logger } from '../logger.js';
import { MissingTopic, type OutgoingRecord, type SendPort } from '../producer/send-port.js';
import { createKafkajsClient, fewRetries } from './client.js';
import { asUnavailable, isMissingTopic } from './errors.js';
import { encodedBatch } from './produce-request.js';
import { encodeRecordBatch } from './record-batch.js';
import { SharedRequests } from './shared-requests.js';

const repeatAfterMs = 200;
/** Long enough for a broker that restarts; then whoever publishes is told, and intake pauses. */
const giveUpAfterMs = 60_000;

/** Sends through kafkajs, which finds the leader and retries; the batches are encoded here. */
export class KafkajsSendPort implements SendPort {
  private readonly kafka: Kafka;
  private readonly requests = new SharedRequests((topic, messages) => this.sendMessages(topic, messages));
  /** One client per topic: a topic that was deleted makes every refresh of metadata fail in the client that knows it. */
  private readonly producers = new Map<string, Promise<Producer>>();
  private admin: Promise<Admin> | undefined;
  /** Those that have connected. The others hold nothing, and give up by themselves after a few tries. */
  private readonly open = new Set<Producer | Admin>();
  private isStopped = false;

  constructor(
    config: KafkaConfig,
    log: Logger,
    private readonly clock: Clock,
  ) {
    // Beyond a few retries we repeat: we know what is worth it, and when to stop.
    this.kafka = createKafkajsClient(config, log, fewRetries);
  }

  async partitionCount(topic: string): Promise<number> {
    try {
      const admin = await this.connectedAdmin();
      const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
      return topics[0]?.partitions.length ?? 0;
    } catch (error) {
      throw isMissingTopic(error) ? new MissingTopic(topic, { cause: error }) : asUnavailable(error);
    }
  }

  async send(topic: string, partition: number, records: readonly OutgoingRecord[]): Promise<void> {
    const startedAt = this.clock.now();
    const message = encodedBatch(partition, encodeRecordBatch(records, startedAt));
    let fault = await this.faultOf(this.requests.together(topic, message), topic);
    while (fault !== undefined) {
      if (this.isStopped || this.clock.now() - startedAt > giveUpAfterMs) throw fault;
      // Not by the clock, whose timers keep no process alive: somebody waits for this.
      await delay(repeatAfterMs);
      // Alone: no partition waits for the leader of another one.
      fault = await this.faultOf(this.requests.alone(topic, message), topic);
    }
  }

  async stop(deadlineMs: number): Promise<void> {
    this.isStopped = true;
    const closing = [...this.open].map((client) => client.disconnect());
    await within(this.clock, deadlineMs, Promise.allSettled(closing));
  }

  /** What is worth another try, if a request failed by it; anything else is thrown. */
  private async faultOf(sent: Promise<void>, topic: string): Promise<DependencyUnavailable | undefined> {
    try {
      await sent;
      return undefined;
    } catch (error) {
      if (isMissingTopic(error)) throw new MissingTopic(topic, { cause: error });
      const fault = asUnavailable(error);
      if (!(fault instanceof DependencyUnavailable)) throw fault;
      return fault;
    }
  }

  private async sendMessages(topic: string, messages: Message[]): Promise<readonly RecordMetadata[]> {
    const producer = await this.producerOf(topic);
    return producer.send({ topic, acks: -1, messages });
  }

  private connectedAdmin(): Promise<Admin> {
    if (this.admin === undefined) {
      this.admin = this.connect(this.kafka.admin());
      this.admin.catch(() => (this.admin = undefined));
    }
    return this.admin;
  }

  private producerOf(topic: string): Promise<Producer> {
    const known = this.producers.get(topic);
    if (known !== undefined) return known;
    const producer = this.connect(this.createProducer());
    producer.catch(() => this.producers.delete(topic));
    this.producers.set(topic, producer);
    return producer;
  }

  private async connect<Client extends Producer | Admin>(client: Client): Promise<Client> {
    await client.connect();
    if (this.isStopped) {
      await client.disconnect();
      throw new DependencyUnavailable('kafka', 'The producer is stopped.');
    }
    this.open.add(client);
    return client;
  }

  private createProducer(): Producer {
    return this.kafka.producer({
      // Never idempotent: after a lost response kafkajs gives a failed batch's sequence number to the next one, which
      // the broker then drops as a duplicate and kafkajs reports as written.
      idempotent: false,
      allowAutoTopicCreation: false,
      createPartitioner: () => knownPartitionOf,
    });
  }
}

/**
 * For five minutes kafkajs knows nothing of partitions that were added: it sends nothing of what is for them, and reports
 * success. After this error it asks the broker, and tries again.
 */
export function knownPartitionOf({ topic, partitionMetadata, message: { partition = 0 } }: PartitionerArgs): number {
  if (partitionMetadata.some(({ partitionId }) => partitionId === partition)) return partition;
  const error = new Error(`The client does not know the partition ${topic}/${partition} yet.`);
  throw Object.assign(error, { name: 'KafkaJSMetadataNotLoaded' });
}
