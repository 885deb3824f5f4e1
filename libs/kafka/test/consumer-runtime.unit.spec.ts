import { describe, expect, it, jest } from '@jest/globals';
import { DependencyUnavailable, PoisonMessage, Refused, RetryLater, StopService } from '@anabranch/failures';
import { settled } from '../src/testing/index.js';
import { SimulatedConsumer } from './harness/simulated-consumer.js';

const first = { topic: 'topic', partition: 0 };
const second = { topic: 'topic', partition: 1 };
const commitMs = 250;

describe('the consumer runtime', () => {
  it('handles keys of one partition side by side and records of one key one after the other', async () => {
    const consumer = await SimulatedConsumer.start([first]);
    await consumer.receive(first, 'a', 'b', 'a', 'c');
    expect(consumer.runningKeys()).toEqual(['a', 'b', 'c']);
    await consumer.handlerOf('a').finish();
    expect(consumer.handlerOf('a').record.offset).toBe(2);
  });

  it('commits up to the oldest unfinished record and no further', async () => {
    const consumer = await SimulatedConsumer.start([first]);
    await consumer.receive(first, 'a', 'b', 'c');
    await consumer.handlerOf('a').finish();
    await consumer.handlerOf('c').finish();
    await consumer.clock.advance(commitMs);
    expect(consumer.broker.committed.get('topic/0')).toBe(1);
    await consumer.handlerOf('b').finish();
    await consumer.clock.advance(commitMs);
    expect(consumer.broker.committed.get('topic/0')).toBe(3);
  });

  it('commits past records that no consumer sees', async () => {
    const consumer = await SimulatedConsumer.start([first]);
    consumer.broker.appendInvisible(first, 5);
    consumer.broker.deliver();
    await consumer.clock.advance(commitMs);
    expect(consumer.broker.committed.get('topic/0')).toBe(5);
  });

  it('drops what a rejoin delivers again of a kept partition', async () => {
    const consumer = await SimulatedConsumer.start([first, second]);
    await consumer.receive(first, 'a', 'b');
    await consumer.handlerOf('b').finish();
    consumer.broker.rebalance([first]);
    consumer.broker.deliver();
    await settled();
    expect(consumer.runningKeys()).toEqual(['a']);
    expect(consumer.handlerOf('a').context.signal.aborted).toBe(false);
  });

  it('commits in the rebalance what is finished', async () => {
    const consumer = await SimulatedConsumer.start([first]);
    await consumer.receive(first, 'a');
    await consumer.handlerOf('a').finish();
    consumer.broker.rebalance([]);
    await settled();
    expect(consumer.broker.committed.get('topic/0')).toBe(1);
  });

  it('interrupts the handlers of a lost partition, and commits nothing of them', async () => {
    const consumer = await SimulatedConsumer.start([first]);
    await consumer.receive(first, 'a');
    const handler = consumer.handlerOf('a');
    consumer.broker.rebalance([]);
    expect(handler.context.signal.aborted).toBe(true);
    await handler.finish();
    await consumer.clock.advance(commitMs);
    expect(consumer.broker.commits).toEqual([]);
  });

  it('settles nothing for a partition that was lost meanwhile: its next owner decides', async () => {
    const consumer = await SimulatedConsumer.start([first]);
    await consumer.receive(first, 'a');
    const handler = consumer.handlerOf('a');
    consumer.broker.rebalance([]);
    await handler.fail(new PoisonMessage('CONTENT_MISSING', 'gone'));
    expect([consumer.deadLetters, consumer.settledFailures]).toEqual([[], []]);
  });

  it('never runs a key twice at a time, also when its partition comes back before the old handler ends', async () => {
    const consumer = await SimulatedConsumer.start([first]);
    await consumer.receive(first, 'a');
    const old = consumer.handlerOf('a');
    consumer.broker.expel([first]);
    consumer.broker.deliver();
    await settled();
    expect(consumer.running).toEqual([old]);
    await old.fail(new Error('aborted'));
    expect(consumer.handlerOf('a').record.offset).toBe(0);
    expect(consumer.deadLetters).toEqual([]);
  });

  it('retries in the key’s queue while other keys flow', async () => {
    const consumer = await SimulatedConsumer.start([first]);
    await consumer.receive(first, 'a', 'a', 'b');
    await consumer.handlerOf('a').fail(new RetryLater('busy', { afterMs: 1_000 }));
    await consumer.handlerOf('b').finish();
    expect(consumer.running).toEqual([]);
    await consumer.clock.advance(999);
    expect(consumer.running).toEqual([]);
    await consumer.clock.advance(1_000);
    expect(consumer.handlerOf('a')).toMatchObject({ record: { offset: 0 }, context: { attempt: 2 } });
  });

  it('sends the dead letter, then settles, then goes on with the key', async () => {
    const order: string[] = [];
    const consumer = await SimulatedConsumer.start(
      [first],
      {},
      {
        sendDeadLetter: () => Promise.resolve(void order.push('dead letter')),
        onSettled: () => Promise.resolve(void order.push('settled')),
      },
    );
    await consumer.receive(first, 'a', 'a');
    await consumer.handlerOf('a').fail(new PoisonMessage('CONTENT_MISSING', 'gone'));
    expect(order).toEqual(['dead letter', 'settled']);
    expect(consumer.handlerOf('a').record.offset).toBe(1);
  });

  it('says once that a record which cannot be read becomes a dead letter, also when that takes several tries', async () => {
    let failures = 2;
    const consumer = await SimulatedConsumer.start(
      [first],
      {},
      {
        decode: () => {
          throw new PoisonMessage('DECODE_FAILED', 'The value begins with byte 110, not with 0.');
        },
        sendDeadLetter: () => (failures-- > 0 ? Promise.reject(new Error('not now')) : Promise.resolve()),
      },
    );
    await consumer.receive(first, 'a');
    await consumer.clock.advance(600_000);
    expect(failures).toBe(-1);
    expect(consumer.log.lines.filter(({ message }) => message === 'becomes a dead letter')).toMatchObject([
      { level: 'warn', fields: { ...first, offset: 0, code: 'DECODE_FAILED' } },
    ]);
  });

  it('settles a refusal without a dead letter', async () => {
    const consumer = await SimulatedConsumer.start([first]);
    await consumer.receive(first, 'a');
    await consumer.handlerOf('a').fail(new Refused('NO_CONTENT', 'empty'));
    expect(consumer.deadLetters).toEqual([]);
    expect(consumer.settledFailures).toMatchObject([{ code: 'NO_CONTENT' }]);
  });

  it('keeps a record that cannot be dead-lettered: its offset is not passed, its key waits, other keys flow', async () => {
    let isRefused = true;
    const consumer = await SimulatedConsumer.start(
      [first],
      {},
      { sendDeadLetter: () => (isRefused ? Promise.reject(new Error('too large')) : Promise.resolve()) },
    );
    await consumer.receive(first, 'a', 'a', 'b');
    await consumer.handlerOf('a').fail(new PoisonMessage('CONTENT_MISSING', 'gone'));
    await consumer.handlerOf('b').finish();
    await consumer.clock.advance(600_000);
    expect(consumer.broker.commits.filter(({ offset }) => offset > 0)).toEqual([]);
    expect(consumer.running).toEqual([]);
    expect(consumer.log.at('error')).toContain('a failed record cannot be settled; its key waits');
    expect(await consumer.metrics.metrics()).toMatch(/anabranch_settlement_failures_total\{topic="topic"\} [1-9]/);
    isRefused = false;
    await consumer.clock.advance(30_000);
    expect(consumer.handlerOf('a').record.offset).toBe(1);
  });

  it('does not send the dead letter again when only its outcome failed', async () => {
    let failures = 1;
    const consumer = await SimulatedConsumer.start(
      [first],
      {},
      { onSettled: () => (failures-- > 0 ? Promise.reject(new Error('not now')) : Promise.resolve()) },
    );
    await consumer.receive(first, 'a');
    await consumer.handlerOf('a').fail(new PoisonMessage('CONTENT_MISSING', 'gone'));
    await consumer.clock.advance(30_000);
    expect(consumer.deadLetters).toHaveLength(1);
    expect(consumer.broker.committed.get('topic/0')).toBe(1);
  });

  it('pauses intake while a shared dependency is down, burns no attempt and resumes by a probe', async () => {
    const consumer = await SimulatedConsumer.start([first]);
    const down = new DependencyUnavailable('postgres', 'connection refused');
    await consumer.receive(first, 'a', 'b', 'a');
    await consumer.handlerOf('a').fail(down);
    await consumer.handlerOf('b').fail(down);
    expect(consumer.runtime.health().reasons).toEqual(['postgres is down since 1970-01-01T00:00:00.000Z']);
    expect(consumer.broker.isPaused(first)).toBe(true);
    for (let probe = 0; probe < 20; probe++) {
      await consumer.clock.advance(10_000);
      expect(consumer.running).toHaveLength(1);
      await consumer.running[0]?.fail(down);
    }
    await consumer.clock.advance(10_000);
    expect(consumer.running).toHaveLength(1);
    expect(consumer.running[0]?.context.attempt).toBe(1);
    await consumer.running[0]?.finish();
    await consumer.clock.advance(0);
    expect(consumer.running).toHaveLength(2);
    expect(consumer.broker.isPaused(first)).toBe(false);
    expect(consumer.runtime.health()).toEqual({ ready: true, reasons: [] });
  });

  it('opens the intake when the partition of the probe is lost', async () => {
    const consumer = await SimulatedConsumer.start([first, second]);
    await consumer.receive(first, 'a');
    await consumer.handlerOf('a').fail(new DependencyUnavailable('postgres', 'connection refused'));
    await consumer.clock.advance(1_000);
    const probe = consumer.handlerOf('a');
    consumer.broker.rebalance([second]);
    await probe.fail(new Error('aborted'));
    await consumer.receive(second, 'b');
    expect(consumer.runningKeys()).toEqual(['b']);
  });

  it('stops fetching a partition at its limit and goes on at half of it', async () => {
    const consumer = await SimulatedConsumer.start([first, second], {
      partitionLimits: { maxRecords: 4, maxBytes: 1_000 },
    });
    await consumer.receive(first, 'a', 'b', 'c', 'd');
    await consumer.receive(second, 'e');
    expect([consumer.broker.isPaused(first), consumer.broker.isPaused(second)]).toEqual([true, false]);
    expect(consumer.log.lines).toContainEqual({
      level: 'info',
      message: 'the partition has reached a bound: its fetching pauses',
      fields: { ...first, oldestUnfinished: 0, unfinished: 4, span: 4 },
    });
    await consumer.handlerOf('a').finish();
    expect(consumer.broker.isPaused(first)).toBe(true);
    await consumer.handlerOf('b').finish();
    expect(consumer.broker.isPaused(first)).toBe(false);
  });

  it('says its pauses again after the client has forgotten them, and not those of a partition that came back', async () => {
    const consumer = await SimulatedConsumer.start([first], { partitionLimits: { maxRecords: 1, maxBytes: 1_000 } });
    await consumer.receive(first, 'a');
    consumer.broker.resume([first]);
    consumer.broker.rebalance([first]);
    expect(consumer.broker.isPaused(first)).toBe(true);
    consumer.broker.rebalance([]);
    consumer.broker.rebalance([first]);
    expect(consumer.broker.isPaused(first)).toBe(false);
  });

  it('stops the service without a further commit when a handler asks for it', async () => {
    const consumer = await SimulatedConsumer.start([first]);
    await consumer.receive(first, 'z', 'a', 'b', 'c');
    await consumer.handlerOf('z').finish();
    await consumer.handlerOf('b').finish();
    await consumer.handlerOf('a').fail(new StopService('wrong key of the ledger'));
    await consumer.receive(first, 'd');
    await consumer.clock.advance(10_000);
    consumer.broker.rebalance([first]);
    await settled();
    expect(consumer.fatal).toMatchObject([{ message: 'wrong key of the ledger' }]);
    expect(consumer.runningKeys()).toEqual(['c']);
    expect(consumer.runtime.health().reasons).toEqual(['the consumer has failed']);
    void consumer.runtime.stop(1_000);
    await consumer.clock.advance(1_000);
    expect(consumer.broker.commits).toEqual([]);
  });

  it('finishes what runs when it is stopped, starts nothing more, commits and leaves', async () => {
    const consumer = await SimulatedConsumer.start([first]);
    await consumer.receive(first, 'a', 'a');
    const stopped = consumer.runtime.stop(10_000);
    await consumer.handlerOf('a').finish();
    await stopped;
    expect(consumer.running).toEqual([]);
    expect(consumer.broker.committed.get('topic/0')).toBe(1);
    expect(consumer.broker.isStopped).toBe(true);
  });

  it('joins nothing any more when the stop comes before its start', async () => {
    const consumer = new SimulatedConsumer([first]);
    await consumer.runtime.stop(10_000);
    await consumer.runtime.start();
    expect(consumer.log.lines.map(({ message }) => message)).not.toContain('partitions were assigned');
    expect(consumer.broker.isStopped).toBe(true);
  });

  it('starts no probe any more when it is told to stop', async () => {
    const consumer = await SimulatedConsumer.start([first]);
    await consumer.receive(first, 'a', 'b');
    await consumer.handlerOf('a').fail(new DependencyUnavailable('postgres', 'connection refused'));
    void consumer.runtime.stop(100_000);
    await consumer.clock.advance(60_000);
    expect(consumer.runningKeys()).toEqual(['b']);
  });

  it('interrupts what does not end in time when it is stopped, and counts what it had finished', async () => {
    const consumer = await SimulatedConsumer.start([first]);
    await consumer.receive(first, 'a', 'b');
    await consumer.handlerOf('a').finish();
    const stubborn = consumer.handlerOf('b');
    const stopped = consumer.runtime.stop(10_000);
    await consumer.clock.advance(10_000);
    await stopped;
    expect(stubborn.context.signal.aborted).toBe(true);
    expect(consumer.broker.committed.get('topic/0')).toBe(1);
    expect(consumer.deadLetters).toEqual([]);
  });

  describe('commits what ends while the last commit of a stop is under way', () => {
    const stopWith = async (answerTo: (answer: PromiseWithResolvers<void>) => void) => {
      const consumer = await SimulatedConsumer.start([first]);
      await consumer.receive(first, 'a', 'b', 'c');
      const [a, b] = [consumer.handlerOf('a'), consumer.handlerOf('b')];
      await consumer.clock.advance(100);
      const stopped = consumer.runtime.stop(10_000);
      // Between the last commit of the interval and the stop's own.
      await consumer.clock.advance(7_450);
      await a.finish();
      const answer = Promise.withResolvers<void>();
      const commit = jest.spyOn(consumer.broker, 'commit').mockReturnValueOnce(answer.promise);
      await consumer.clock.advance(50);
      await b.finish();
      consumer.broker.refuseCommits(1);
      const offsets = () => commit.mock.calls.map(([positions]) => positions.map(({ offset }) => offset));
      expect(offsets()).toEqual([[1]]);
      answerTo(answer);
      await stopped;
      expect(consumer.broker.isStopped).toBe(true);
      return offsets();
    };

    it('and does not repeat one that failed', async () => {
      expect(await stopWith((answer) => answer.resolve())).toEqual([[1], [2]]);
    });

    it('also when that fails', async () => {
      expect(await stopWith((answer) => answer.reject(new Error('no coordinator')))).toEqual([[1], [2]]);
    });
  });

  it('tells its lag and its window per owned partition', async () => {
    const consumer = await SimulatedConsumer.start([first, second]);
    await consumer.receive(first, 'a', 'b');
    await consumer.handlerOf('a').finish();
    consumer.broker.rebalance([first]);
    const page = await consumer.metrics.metrics();
    expect(page).toContain('anabranch_consumer_lag{topic="topic",partition="0"} 1');
    expect(page).toContain('anabranch_window_records{topic="topic",partition="0"} 1');
    expect(page).not.toContain('partition="1"');
    expect(page).toContain('anabranch_records_in_flight 1');
  });
});
