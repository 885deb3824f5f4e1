import { createRequire } from 'node:module';
import type { Message } from 'kafkajs';

const require = createRequire(import.meta.url);

/** kafkajs' growing buffer. */
interface Encoder {
  writeString(text: string | null): Encoder;
  writeInt16(value: number): Encoder;
  writeInt32(value: number): Encoder;
  writeBuffer(bytes: Buffer): Encoder;
}
interface ProduceArguments {
  readonly acks: number;
  readonly timeout: number;
  readonly topicData: readonly {
    readonly topic: string;
    readonly partitions: readonly { readonly partition: number; readonly messages: readonly Message[] }[];
  }[];
}
interface ProtocolRequest {
  readonly request: { readonly encode: () => Promise<Encoder> };
  readonly response: { readonly parse: (answer: unknown) => Promise<unknown> };
}
type Protocol = (version: { version: number }) => (args: ProduceArguments) => ProtocolRequest;

/** A message that stands for a whole batch, already encoded. */
interface EncodedBatch extends Message {
  readonly recordBatch: Buffer;
  readonly isShared?: true;
}

/** What to give to kafkajs' `send` for an encoded batch: all records of one partition. */
export function encodedBatch(partition: number, recordBatch: Buffer): Message {
  const message: EncodedBatch = { value: null, partition, recordBatch };
  return message;
}

/** A batch of a call that carries others as well: what is refused for it is answered by its error code, and nothing is thrown. */
export function sharedBatch(batch: Message): Message {
  return { ...batch, isShared: true } as EncodedBatch;
}

/**
 * Lets kafkajs' produce request take encoded batches; it still finds the leader, retries and reads the response.
 *
 * When a broker refuses one partition of a call, kafkajs (2.2.4, `parse`) throws, and sends those that it wrote once more, or
 * fails the whole call. So the answer to a shared request is handed on as it is, with an error code for each partition.
 */
export function acceptEncodedBatches(): void {
  const { requests } = require('kafkajs/src/protocol/requests') as { requests: { Produce: { protocol: Protocol } } };
  const KafkajsEncoder = require('kafkajs/src/protocol/encoder') as new () => Encoder;
  const original = requests.Produce.protocol;
  requests.Produce.protocol = (version) => (args) => {
    const protocol = original(version)(args);
    if (!isEncoded(args)) return protocol;
    const encode = () => Promise.resolve(encodeRequest(new KafkajsEncoder(), args));
    const request = { ...protocol.request, encode };
    return isShared(args) ? { request, response: { ...protocol.response, parse: handOn } } : { ...protocol, request };
  };
}

function isEncoded({ topicData }: ProduceArguments): boolean {
  return topicData.every(({ partitions }) =>
    partitions.every(({ messages }) => messages.every((message) => 'recordBatch' in message)),
  );
}

function isShared({ topicData }: ProduceArguments): boolean {
  return topicData.some(({ partitions }) =>
    partitions.some(({ messages }) => messages.some((one) => 'isShared' in one)),
  );
}

function handOn(answer: unknown): Promise<unknown> {
  return Promise.resolve(answer);
}

/** Produce versions 3 to 7: transactional id, acks, timeout, topics of partitions of batches. */
function encodeRequest(encoder: Encoder, { acks, timeout, topicData }: ProduceArguments): Encoder {
  encoder.writeString(null).writeInt16(acks).writeInt32(timeout).writeInt32(topicData.length);
  for (const { topic, partitions } of topicData) {
    encoder.writeString(topic).writeInt32(partitions.length);
    for (const { partition, messages } of partitions) {
      const batches = messages.map((message) => (message as EncodedBatch).recordBatch);
      encoder.writeInt32(partition).writeInt32(batches.reduce((sum, batch) => sum + batch.length, 0));
      for (const batch of batches) encoder.writeBuffer(batch);
    }
  }
  return encoder;
}
