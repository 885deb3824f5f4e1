import type { StopService } from '@anabranch/failures';
import type { Registry } from 'prom-client';
import type { StopOptions } from './broker-port.js';
import { systemClock } from './clock.js';
import { createConsumerMetrics } from './consumer/consumer-metrics.js';
import { ConsumerRuntime } from './consumer/consumer-runtime.js';
import { resolveSettings, type ConsumerSettings } from './consumer/consumer-settings.js';
import type { ConsumerHealth } from './consumer/consumer-view.js';
import { deadLetterTopic } from './consumer/dead-letter.js';
import type { Launch } from './consumer/launch.js';
import {
  bindSubscriptions,
  type EventAt,
  type SubscribedTopics,
  type Subscriptions,
} from './consumer/subscriptions.js';
import { processTrialRoom } from './consumer/trial-room.js';
import type { WorkRunnerOptions } from './consumer/work-runner.js';
import { createAdmin } from './admin/create-admin.js';
import { SetUpWait } from './admin/set-up-wait.js';
import { startUpCheck, type StartUpNeeds } from './admin/start-up-check.js';
import { InOrder } from './in-order.js';
import type { Deferral, IncomingRecord, SettledFailure } from './incoming-record.js';
import { topicNameOf, type KafkaConfig } from './kafka-config.js';
import { KafkajsBroker } from './kafkajs/broker-port.js';
import type { Logger } from './logger.js';
import type { EventProducer } from './producer/event-producer.js';
import type { SchemaRegistry } from './registry/schema-registry.js';
import type { Tracer } from './tracing.js';

export interface ConsumerOptions<T extends string> {
  readonly config: KafkaConfig;
  readonly group: string;
  /** What is consumed at first: see {@link Consumer.setTopics}. */
  readonly topics: Subscriptions<T>;
  readonly registry: SchemaRegistry;
  /** Sends the dead letters. */
  readonly producer: Pick<EventProducer, 'publishRaw'>;
  /**
   * Called when a record is settled that could be decoded but not handled: after its dead letter is acknowledged, or for
   * a refusal. The record is done when it resolves; it is called again until then.
   */
  readonly onSettled?: (record: IncomingRecord<EventAt<T>>, failure: SettledFailure) => Promise<void>;
  /**
   * Keeps a record that has to wait longer than `settings.retry.maxWaitMs`, durably, and hands it out again when it is due.
   * The record is done when it resolves; it is called again until then. PoisonMessage says that it was kept for too long: the
   * record becomes a dead letter. Without it such a wait is done in place.
   */
  readonly defer?: (record: IncomingRecord<EventAt<T>>, deferral: Deferral) => Promise<void>;
  /** The process cannot go on: stop it with a code other than 0. Called once. */
  readonly onFatal: (error: StopService) => void;
  readonly metrics: Registry;
  /** Gets one span per try of a record. None are made without it. */
  readonly tracer?: Tracer;
  readonly log: Logger;
  readonly settings?: Partial<ConsumerSettings>;
  /**
   * How this run of the process began, from whoever restarts it: the host's `context.launch`. Without it a record that
   * ends the process is not found.
   */
  readonly launch?: Launch | undefined;
}

/** A member of a consumer group. */
export interface Consumer {
  /**
   * Checks that all it needs is there, joins the group and begins to consume.
   * @throws StopService with everything that is missing and how to make it
   */
  start(): Promise<void>;
  /**
   * Finishes what runs, commits and ends the membership, within `deadlineMs`. A member with an instance id keeps its seat
   * for its restart, unless it is to be removed.
   */
  stop(deadlineMs: number, options?: StopOptions): Promise<void>;
  /**
   * Consumes these topics instead of those before. Resolves when all that they need was found and the group is being told;
   * it then assigns its partitions anew. Records in flight of partitions that stay here are not interrupted, and those of a
   * topic that is not consumed any more come again when it is.
   * @throws StopService with everything that is missing, and changes nothing; DependencyUnavailable
   */
  setTopics<T extends string>(topics: Subscriptions<T>): Promise<void>;
  /** Whether it takes work and does it. */
  health(): ConsumerHealth;
  /** Whether it gets on with what it has (`settings.progress`): when not, only a restart of the process helps. */
  progress(): ConsumerHealth;
}

/** Makes a consumer that is not started yet. @throws StopService when its settings contradict each other */
export function createConsumer<T extends string>(options: ConsumerOptions<T>): Consumer {
  const { config, log } = options;
  const settings = resolveSettings(options.settings);
  const topics = bindSubscriptions(options.topics as unknown as Subscriptions<string>, options.registry, (topic) =>
    topicNameOf(config, topic),
  );
  const runtime = createRuntime(options, settings, topics);
  const needsOf = (names: readonly string[]): StartUpNeeds => ({
    names: [...names, deadLetterTopic],
    coPartitioned: settings.coPartitioned ? names : [],
    retryMaxAgeMs: settings.retry.maxAgeMs,
  });
  let wanted = Object.keys(options.topics);
  const setUp = new SetUpWait({
    config,
    needs: () => needsOf(wanted),
    onSchema: (id, schema) => options.registry.learn(id, schema),
    log,
  });
  const changes = new InOrder();
  const change = async (changed: Subscriptions<string>) => {
    const names = Object.keys(changed);
    // Before the start there is nothing to ask: the start checks what is wanted by then.
    if (setUp.isDone) await checkNow(options, needsOf(names));
    topics.change(changed);
    wanted = names;
    runtime.setTopics(topics.names, topics.limits);
  };
  return {
    start: async () => {
      if (await setUp.done()) await runtime.start();
    },
    stop: async (deadlineMs, stopOptions) => {
      setUp.cancel();
      await runtime.stop(deadlineMs, stopOptions);
    },
    setTopics: (changed) => changes.run(() => change(changed as unknown as Subscriptions<string>)),
    health: () => setUp.health() ?? runtime.health(),
    progress: () => runtime.progress(),
  };
}

function createRuntime<T extends string>(
  options: ConsumerOptions<T>,
  settings: ConsumerSettings,
  topics: SubscribedTopics,
): ConsumerRuntime {
  const { config, group, producer, metrics, log } = options;
  const clock = systemClock;
  return new ConsumerRuntime({
    group,
    settings,
    topicLimits: topics.limits,
    decode: topics.decode,
    handlerOf: topics.handlerOf,
    broker: new KafkajsBroker({ ...settings, config, group, topics: topics.names, clock, log }),
    sendDeadLetter: ({ key, value }, headers) => producer.publishRaw(deadLetterTopic, { key, value, headers }),
    // A record's topic decides about the type of its event, which the runtime cannot know.
    onSettled: options.onSettled as WorkRunnerOptions['onSettled'],
    defer: options.defer as WorkRunnerOptions['defer'],
    onFatal: options.onFatal,
    launch: options.launch,
    trialRoom: processTrialRoom,
    metrics: createConsumerMetrics(metrics),
    tracer: options.tracer,
    random: Math.random,
    clock,
    log,
  });
}

async function checkNow({ config, log }: Pick<ConsumerOptions<string>, 'config' | 'log'>, needs: StartUpNeeds) {
  const admin = createAdmin(config, log);
  try {
    for (const deviation of await startUpCheck(admin, config, needs)) log.warn({}, deviation);
  } finally {
    await admin.close();
  }
}
