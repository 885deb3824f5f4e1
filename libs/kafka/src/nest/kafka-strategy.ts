import type { EventOf, EventTopic } from '@anabranch/contracts';
import { StopService } from '@anabranch/failures';
import { Server, type CustomTransportStrategy, type MessageHandler } from '@nestjs/microservices';
import { isObservable, lastValueFrom } from 'rxjs';
import { createConsumer, type Consumer, type ConsumerOptions } from '../create-consumer.js';
import type { ConsumerHealth } from '../consumer/consumer-view.js';
import type { Subscription, Subscriptions } from '../consumer/subscriptions.js';
import type { RecordHandler } from '../incoming-record.js';
import type { RecordContext } from './on-event.js';

export interface KafkaStrategyOptions<T extends EventTopic> extends Omit<ConsumerOptions<T>, 'topics'> {
  /** The topics that the application's controllers handle with `@OnEvent`. */
  readonly topics: { readonly [K in T]: Omit<Subscription<EventOf[K]>, 'handler'> };
  /** How long `close` may take to finish what runs. */
  readonly drainMs: number;
}

/** Nest's transport over the consumer runtime: one consumer group, its topics handled by methods with `@OnEvent`. */
export class KafkaStrategy<T extends EventTopic> extends Server implements CustomTransportStrategy {
  /** What handlers throw reaches the runtime, which logs it; Nest must not, since messages may quote a document. */
  override readonly propagatesEventHandlerErrors = true;
  private consumer: Consumer | undefined;

  constructor(private readonly options: KafkaStrategyOptions<T>) {
    super();
  }

  /** Reads the handlers once, joins the group and consumes. */
  listen(report: (error?: unknown) => void): void {
    this.start().then(() => report(), report);
  }

  /** Finishes what runs and leaves the group. */
  async close(): Promise<void> {
    await this.consumer?.stop(this.options.drainMs);
  }

  health(): ConsumerHealth {
    return this.consumer?.health() ?? { ready: false, reasons: ['the consumer is not started'] };
  }

  /** Whether it gets on with what it has: when not, only a restart of the process helps. */
  progress(): ConsumerHealth {
    return this.consumer?.progress() ?? { ready: true, reasons: [] };
  }

  on(): never {
    throw new Error('KafkaStrategy emits no events; ask health().');
  }

  unwrap<Client>(): Client {
    return this.consumer as Client;
  }

  private async start(): Promise<void> {
    this.consumer = createConsumer({ ...this.options, topics: this.subscriptions() });
    await this.consumer.start();
  }

  private subscriptions(): Subscriptions<T> {
    const topics = Object.keys(this.options.topics) as T[];
    const faults = [...this.messageHandlers].flatMap(([topic, handler]) => this.faultsOf(topic, handler));
    faults.push(
      ...topics.filter((topic) => !this.messageHandlers.has(topic)).map((topic) => `no method handles ${topic}`),
    );
    if (faults.length > 0) {
      const message = `The group ${this.options.group} is wired wrongly: ${faults.join('; ')}.`;
      throw new StopService(message, { code: 'CONFIGURATION' });
    }
    const entries = topics.map((topic) => [
      topic,
      { ...this.options.topics[topic], handler: toRecordHandler(this.messageHandlers.get(topic) as MessageHandler) },
    ]);
    return Object.fromEntries(entries) as Subscriptions<T>;
  }

  private faultsOf(topic: string, handler: MessageHandler): string[] {
    // Nest chains the methods of one topic silently; per key, nobody could say when such a record is finished.
    if (handler.next !== undefined) return [`two methods handle ${topic}`];
    return topic in this.options.topics ? [] : [`a method handles ${topic}, which is not among the topics`];
  }
}

/** The handler of a Nest method. Its promise is awaited, and so is the observable that Nest makes of an error. */
function toRecordHandler(handler: MessageHandler): RecordHandler<unknown> {
  return async (record, context) => {
    const recordContext: RecordContext = { ...context, record };
    const result: unknown = await handler(record.event, recordContext);
    if (isObservable(result)) await lastValueFrom(result, { defaultValue: undefined });
  };
}
