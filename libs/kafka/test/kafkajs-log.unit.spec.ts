import { describe, expect, it } from '@jest/globals';
import kafkajs from 'kafkajs';
import { createLogCreator, levelOf } from '../src/kafkajs/log-creator.js';
import { CollectedLog } from './harness/collected-log.js';

const { ERROR, WARN, INFO, DEBUG } = kafkajs.logLevel;
const line = (level: number, message: string, error?: string) => ({
  level,
  log: { timestamp: '', message, ...(error === undefined ? {} : { error }) },
});

describe('the log of kafkajs', () => {
  it.each([
    [
      'a rebalance',
      line(ERROR, 'Response Heartbeat(key: 12, version: 3)', 'The group is rebalancing, so a rejoin is needed'),
    ],
    [
      'a topic that is there',
      line(ERROR, 'Response CreateTopics(key: 19, version: 3)', 'Topic with this name already exists'),
    ],
    [
      'the first use of a coordinator',
      line(ERROR, 'Response GroupCoordinator(key: 10)', 'The group coordinator is not available'),
    ],
    ['a rejoin', line(WARN, 'The group is rebalancing, re-joining')],
    ['a lost session', line(ERROR, 'The coordinator is not aware of this member, re-joining the group')],
    ['everyday chatter', line(INFO, 'Consumer has joined the group')],
    ['its inner life', line(DEBUG, 'Request Fetch')],
  ])('is not alarmed by %s', (_, entry) => {
    expect(levelOf(entry)).toBe('debug');
  });

  it('warns of an outage, and reports what is not expected as an error', () => {
    expect(levelOf(line(ERROR, 'Connection error: connect ECONNREFUSED 127.0.0.1:9092'))).toBe('warn');
    expect(levelOf(line(ERROR, 'Crash: KafkaJSNonRetriableError: offset out of range'))).toBe('error');
  });

  it('repeats the warning of an outage only now and then', () => {
    const log = new CollectedLog();
    let now = 0;
    const write = createLogCreator(log, () => now)();
    for (; now <= 10_000; now += 100) {
      write({ namespace: 'Connection', label: 'ERROR', ...line(ERROR, 'Connection timeout') });
    }
    expect(log.at('warn')).toHaveLength(2);
    expect(log.at('debug')).toHaveLength(99);
  });

  it.each([
    ['the group rebalanced', 'KafkaJSProtocolError: The coordinator is loading', 'debug'],
    ['the broker was away', 'KafkaJSConnectionError: Connection error', 'warn'],
    ['nobody knows why', 'KafkaJSNonRetriableError: something new', 'warn'],
  ] as const)('says that a consumer starts over as loudly as what led to it: %s', (_, crash, level) => {
    const log = new CollectedLog();
    const write = createLogCreator(log, () => log.lines.length * 20_000)();
    for (const message of [`Crash: ${crash}`, 'Restarting the consumer in 200ms'])
      write({ namespace: 'Consumer', label: 'ERROR', ...line(ERROR, message) });
    expect(log.lines.at(-1)).toMatchObject({ level, message: 'Restarting the consumer in 200ms' });
  });

  it('goes into ours, with where it came from', () => {
    const log = new CollectedLog();
    const entry = { namespace: 'Connection', label: 'ERROR', ...line(ERROR, 'Something new') };
    createLogCreator(log)()(entry);
    expect(log.lines).toMatchObject([
      { level: 'error', message: 'Something new', fields: { component: 'kafkajs Connection' } },
    ]);
  });
});
