import { describe, expect, it } from '@jest/globals';
import { consumerDefaults, resolveSettings } from '../src/consumer/consumer-settings.js';
import { staticMembershipFault } from '../src/kafkajs/static-membership.js';
import { patchKafkajs } from '../src/kafkajs/patches.js';

describe('a consumer’s settings', () => {
  it('are the defaults where nothing is given', () => {
    expect(resolveSettings()).toEqual(consumerDefaults);
  });

  it('let a partition hold twice what may be in flight', () => {
    expect(resolveSettings({ maxInFlight: 10_000 }).partitionLimits.maxRecords).toBe(20_000);
  });

  it.each([
    [{ sessionTimeoutMs: 2_000, heartbeatIntervalMs: 1_000 }, ['sessionTimeoutMs', 'heartbeatIntervalMs']],
    [
      { maxInFlight: 100, partitionLimits: { maxRecords: 50, maxBytes: 1_000 } },
      ['partitionLimits.maxRecords', 'maxInFlight'],
    ],
    [
      { progress: { ...consumerDefaults.progress, maxFetchSilenceMs: 6_000 } },
      ['progress.maxFetchSilenceMs', 'sessionTimeoutMs'],
    ],
    [
      { progress: { ...consumerDefaults.progress, maxCommitAgeMs: 100 } },
      ['progress.maxCommitAgeMs', 'commitIntervalMs'],
    ],
    [{ retry: { ...consumerDefaults.retry, firstWaitMs: 60_000 } }, ['retry.firstWaitMs', 'retry.maxWaitMs']],
  ])('that contradict each other stop the start, and both are named: %j', (settings, names) => {
    const start = () => resolveSettings(settings);
    for (const name of names) expect(start).toThrow(name);
  });

  it('name all contradictions together', () => {
    const start = () => resolveSettings({ maxInFlight: 0, sessionTimeoutMs: 1 });
    expect(start).toThrow(/maxInFlight.*; sessionTimeoutMs/);
  });
});

describe('static membership', () => {
  it('is in the bytes of every request of a group', async () => {
    patchKafkajs();
    expect(await staticMembershipFault()).toBeUndefined();
  });
});
