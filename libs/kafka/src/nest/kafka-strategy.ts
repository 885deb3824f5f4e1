import type { EventOf, EventTopic } from '@anabranch/contracts';
import { StopService } from '@anabranch/failures';
import { Server, type CustomTransportStrategy, type MessageHandler } from '@nestjs/microservices';
import { isObservable, lastValueFrom } from 'rxjs';
import { createConsumer, type Consumer, type ConsumerOptions } from '../create-consumer.js';
import type { Launch } from '../consumer/launch.js';
import type { ConsumerHealth } from '../consumer/consumer-view.js';
import { joinSubscriptions, subscribeEach, type Subscription, type Subscriptions } from '../consumer/subscriptions.js';
import { InOrder } from '../in-order.js';
import type { RecordHandler } from '../incoming-record.js';
import { patternOfList, type RecordContext } from './on-event.js';

/** Topics that one method handles with `@OnTopics`. */
export interface TopicList extends Omit<Subscription<unknown>, 'handler'> {
  readonly topics: readonly string[];
}

export interface KafkaStrategyOptions<T extends EventTopic> extends Omit<ConsumerOptions<T>, 'topics'> {
  /** The topics that the application's controllers handle with `@OnEvent`. */
  readonly topics: { readonly [K in T]: Omit<Subscription<EventOf[K]>, 'handler'> };
  /** Lists of topics, by the names that `@OnTopics` gives them; they may change, see {@link KafkaStrategy.setTopics}. */
  readonly lists?: Readonly<Record<string, TopicList>>;
  /** Not to be left out: without it a record that ends the process is never found. */
  readonly launch: Launch | undefined;
  /** How long `close` may take to finish what runs. */
  readonly drainMs: number;
  /** Asked when the application closes: whether it will not come back, so that the others get its partitions at once. */
  readonly isRemoved?: () => boolean;
}

type Lists = Readonly<Record<string, TopicList>>;

/** Nest's transport over the consumer runtime: one consumer group, its topics handled by methods with `@OnEvent`. */
export class KafkaStrategy<T extends EventTopic> extends Server implements CustomTransportStrategy {
  /** What handlers throw reaches the runtime, which logs it; Nest must not, since messages may quote a document. */
  override readonly propagatesEventHandlerErrors = true;
  private consumer: Consumer | undefined;
  /** By pattern, as they were when the application began to listen. */
  private handlers: ReadonlyMap<string, MessageHandler> = new Map();
  private lists: Lists;
  private readonly changes = new InOrder();

  constructor(private readonly options: KafkaStrategyOptions<T>) {
    super();
    this.lists = options.lists ?? {};
  }

  /** Reads the handlers once, joins the group and consumes. */
  listen(report: (error?: unknown) => void): void {
    this.start().then(() => report(), report);
  }

  /** Finishes what runs, and leaves the group when it is removed from it. */
  async close(): Promise<void> {
    const isRemoved = this.options.isRemoved?.() ?? false;
    await this.consumer?.stop(this.options.drainMs, { isRemoved });
  }

  /**
   * Lets the method of a list handle these topics instead of those before: see {@link Consumer.setTopics}.
   * @throws StopService, and changes nothing, when one of them is missing or has a handler already
   */
  setTopics(list: string, topics: readonly string[]): Promise<void> {
    return this.changes.run(async () => {
      const known = this.lists[list];
      if (known === undefined) throw wiringFault(this.options.group, [`there is no list ${list}`]);
      const changed = { ...this.lists, [list]: { ...known, topics } };
      await this.consumer?.setTopics(this.subscriptionsTo(changed));
      this.lists = changed;
    });
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
    this.handlers = new Map(this.messageHandlers);
    const faults = [...this.wiringFaults()];
    if (faults.length > 0) throw wiringFault(this.options.group, faults);
    // The options have those of Nest as well, which the consumer does not look at.
    const options = this.options as unknown as ConsumerOptions<string>;
    this.consumer = createConsumer<string>({ ...options, topics: this.subscriptionsTo(this.lists) });
    await this.consumer.start();
  }

  private *wiringFaults(): Iterable<string> {
    const patterns = new Set([...Object.keys(this.options.topics), ...Object.keys(this.lists).map(patternOfList)]);
    for (const [pattern, { next }] of this.handlers) {
      // Nest chains the methods of one topic silently; per key, nobody could say when such a record is finished.
      if (next !== undefined) yield `two methods handle ${pattern}`;
      else if (!patterns.has(pattern)) yield `a method handles ${pattern}, which is not among the topics`;
    }
    for (const pattern of patterns) if (!this.handlers.has(pattern)) yield `no method handles ${pattern}`;
  }

  private subscriptionsTo(lists: Lists): Subscriptions<string> {
    const fixed = Object.entries<object>(this.options.topics).map(([topic, options]) =>
      subscribeEach([topic], this.subscription(topic, options)),
    );
    const listed = Object.entries(lists).map(([list, { topics, ...options }]) =>
      subscribeEach(topics, this.subscription(patternOfList(list), options)),
    );
    return joinSubscriptions(...fixed, ...listed);
  }

  private subscription(pattern: string, options: object): Subscriptions<string>[string] {
    const handler = toRecordHandler(this.handlers.get(pattern) as MessageHandler);
    return { ...options, handler } as Subscriptions<string>[string];
  }
}

function wiringFault(group: string, faults: readonly string[]): StopService {
  return new StopService(`The group ${group} is wired wrongly: ${faults.join('; ')}.`, { code: 'CONFIGURATION' });
}

/** The handler of a Nest method. Its promise is awaited, and so is the observable that Nest makes of an error. */
function toRecordHandler(handler: MessageHandler): RecordHandler<unknown> {
  return async (record, context) => {
    const recordContext: RecordContext = { ...context, record };
    const result: unknown = await handler(record.event, recordContext);
    if (isObservable(result)) await lastValueFrom(result, { defaultValue: undefined });
  };
}
