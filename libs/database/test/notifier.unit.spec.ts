import { describe, expect, it } from '@jest/globals';
import type { Row } from '../src/database.js';
import { createNotifier, outboxChannel } from '../src/notifier.js';

/** A notifier, and the topics of each statement that it sent. */
function createWatched() {
  const sent: (readonly string[])[] = [];
  const answers: (() => void)[] = [];
  const notifier = createNotifier(<R extends Row>(_sql: string, parameters: readonly unknown[] = []) => {
    expect(parameters[0]).toBe(outboxChannel);
    sent.push(parameters[1] as string[]);
    return new Promise<R[]>((resolve) => answers.push(() => resolve([])));
  });
  const answer = async (): Promise<void> => {
    answers.shift()?.();
    await new Promise(setImmediate);
  };
  return { notifier, sent, answer };
}

describe('the notifier of new outbox rows', () => {
  it('makes one statement of what comes while one is under way', async () => {
    const { notifier, sent, answer } = createWatched();
    for (const topic of ['a', 'b', 'b', 'a']) notifier.notify(topic);
    expect(sent).toEqual([['a']]);
    await answer();
    expect(sent).toEqual([['a'], ['b', 'a']]);
  });

  it('wakes the relay of this process without Postgres, for as long as it carries the topic', () => {
    const { notifier, sent } = createWatched();
    const woken: string[] = [];
    const leave = notifier.carry('a', () => woken.push('first'));
    notifier.notify('a');
    expect([woken, sent]).toEqual([['first'], []]);
    leave();
    notifier.notify('a');
    expect([woken, sent]).toEqual([['first'], [['a']]]);
  });

  it('is not ended for the relay that came after by the one that was before it', () => {
    const { notifier, sent } = createWatched();
    const woken: string[] = [];
    const leave = notifier.carry('a', () => woken.push('first'));
    notifier.carry('a', () => woken.push('second'));
    leave();
    notifier.notify('a');
    expect([woken, sent]).toEqual([['second'], []]);
  });
});
