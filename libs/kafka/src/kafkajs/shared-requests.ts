import { setImmediate } from 'node:timers/promises';
import { DependencyUnavailable } from '@anabranch/failures';
import type { Message, RecordMetadata } from 'kafkajs';
import { sharedBatch } from './produce-request.js';

/** `send` of kafkajs for one topic: what the brokers answered, one entry per partition. */
export type SendMessages = (topic: string, messages: Message[]) => Promise<readonly RecordMetadata[]>;

/** The brokers' error code for each partition: 0 for what is written. */
type Answer = ReadonlyMap<number, number>;

interface SharedRequest {
  readonly messages: Message[];
  readonly answered: Promise<Answer>;
}

/**
 * Requests that carry what is sent to a topic in one turn of the event loop, whatever its partition: a broker is asked once,
 * not once per partition. Messages name their partition. What is refused for one is no matter of the others.
 *
 * What a request reports nothing about counts as not written. When one broker fails and a partition moves from it to one that
 * has answered already, kafkajs (2.2.4, `sendMessages`) does not ask that one again, and reports success.
 */
export class SharedRequests {
  private readonly gathering = new Map<string, SharedRequest>();

  constructor(private readonly send: SendMessages) {}

  /** @throws what `send` throws; DependencyUnavailable when this partition was left out or refused */
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
      return this.ask(topic, messages.length === 1 ? messages : messages.map(sharedBatch));
    });
    const request = { messages, answered };
    this.gathering.set(topic, request);
    return request;
  }

  private async ask(topic: string, messages: Message[]): Promise<Answer> {
    const answers = await this.send(topic, messages);
    return new Map(answers.map(({ partition, errorCode }) => [partition, errorCode]));
  }
}

async function confirm(answered: Promise<Answer>, topic: string, { partition = -1 }: Message): Promise<void> {
  const errorCode = (await answered).get(partition);
  if (errorCode === 0) return;
  const says = errorCode === undefined ? 'says nothing about' : `has the error code ${errorCode} for`;
  throw new DependencyUnavailable('kafka', `The answer of the brokers ${says} ${topic}/${partition}.`);
}
