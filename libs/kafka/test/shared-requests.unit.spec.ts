import { describe, expect, it } from '@jest/globals';
import { DependencyUnavailable } from '@anabranch/failures';
import type { Message, RecordMetadata } from 'kafkajs';
import { SharedRequests } from '../src/kafkajs/shared-requests.js';

const topic = 'analysis.summary.finished';
const messageFor = (partition: number): Message => ({ value: null, partition });
const answerFor = ({ partition = -1 }: Message): RecordMetadata => ({ topicName: topic, partition, errorCode: 0 });

/** What was asked, request by request, as the partitions that each carried. */
function requestsThat(answer: (messages: Message[], asked: number) => readonly RecordMetadata[]) {
  const asked: (readonly (number | undefined)[])[] = [];
  const requests = new SharedRequests((name, messages) => {
    expect(name).toBe(topic);
    asked.push(messages.map(({ partition }) => partition));
    return Promise.resolve(answer(messages, asked.length));
  });
  return { asked, requests };
}

describe('requests that partitions share', () => {
  it('carry all that is sent in one turn, and what comes while one is under way goes in the next', async () => {
    const { asked, requests } = requestsThat((messages) => messages.map(answerFor));
    await Promise.all([3, 1, 5].map((partition) => requests.together(topic, messageFor(partition))));
    await Promise.all([2, 4].map((partition) => requests.together(topic, messageFor(partition))));
    expect(asked).toEqual([
      [3, 1, 5],
      [2, 4],
    ]);
  });

  it('never count a partition as written that the answer leaves out', async () => {
    const { asked, requests } = requestsThat((messages) => messages.slice(1).map(answerFor));
    const settled = await Promise.allSettled(
      [0, 1].map((partition) => requests.together(topic, messageFor(partition))),
    );
    expect(settled.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
    expect(settled[0]).toMatchObject({ reason: expect.any(DependencyUnavailable) });
    await expect(requests.alone(topic, messageFor(0))).rejects.toThrow(`says nothing about ${topic}/0`);
    expect(asked).toEqual([[0, 1], [0]]);
  });

  it('are refused for one partition, and written for the others', async () => {
    const { requests } = requestsThat((messages) =>
      messages.map((message) => ({ ...answerFor(message), errorCode: message.partition === 1 ? 6 : 0 })),
    );
    const settled = await Promise.allSettled(
      [0, 1, 2].map((partition) => requests.together(topic, messageFor(partition))),
    );
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    const message = `The answer of the brokers has the error code 6 for ${topic}/1.`;
    expect(settled[1]).toMatchObject({ reason: new DependencyUnavailable('kafka', message) });
  });

  it('fail together, and each can go on alone', async () => {
    const { asked, requests } = requestsThat((messages, count) => {
      if (count === 1) throw new Error('no leader');
      return messages.map(answerFor);
    });
    const settled = await Promise.allSettled(
      [0, 1].map((partition) => requests.together(topic, messageFor(partition))),
    );
    expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await Promise.all([0, 1].map((partition) => requests.alone(topic, messageFor(partition))));
    expect(asked).toEqual([[0, 1], [0], [1]]);
  });
});
