import { setImmediate } from 'node:timers/promises';
import { DependencyUnavailable } from '@anabranch/failures';
import type { Message, RecordMetadata } from 'kafkajs';

/** `send` of kafkajs for one topic: what the brokers answered, one entry per partition. */
export type SendMessages = (topic: string, messages: Message[]) => Promise<readonly RecordMetadata[]>;

interface SharedRequest {
  readonly messages: Message[];
  readonly answered: Promise<ReadonlySet<number>>;
}

/**
 * Requests that carry what is sent to a topic in one turn of the event loop, whatever its partition: a broker is asked once,
 * not once per partition. Messages name their partition.
 *
 * What a request reports nothing about counts as not written. When one broker fails and a partition moves from it to one that
 * has answered already, kafkajs (2.2.4, `sendMessages`) does not ask that one again, and reports success.
 */
export class SharedRequests {
  private readonly gathering = new Map<string, SharedRequest>();

  constructor(private readonly send: SendMessages) {}

  /** @throws what `send` throws; DependencyUnavailable when the answer leaves this partition out */
  async together(topic: string, message: Message): Promise<void> {
    const request = this.gathering.get(topic) ?? this.open(topic);
    request.messages.push(message);
    await confirm(request.answered, topic, message);
  }

  /** In a request of its own. @throws as `together` */
  async alone(topic: string, message: Message): Promise<void> {
    await confirm(this.ask(topic, [message]), topic, message);
  }

  private open(topic: string): SharedRequest {
    const messages: Message[] = [];
    const answered = setImmediate().then(() => {
      this.gathering.delete(topic);
      return this.ask(topic, messages);
    });
    const request = { messages, answered };
    this.gathering.set(topic, request);
    return request;
  }

  private async ask(topic: string, messages: Message[]): Promise<ReadonlySet<number>> {
    const answers = await this.send(topic, messages);
    return new Set(answers.map(({ partition }) => partition));
  }
}

async function confirm(answered: Promise<ReadonlySet<number>>, topic: string, { partition }: Message): Promise<void> {
  const partitions = await answered;
  if (partition !== undefined && partitions.has(partition)) return;
  throw new DependencyUnavailable('kafka', `The answer of the brokers says nothing about ${topic}/${partition}.`);
}
