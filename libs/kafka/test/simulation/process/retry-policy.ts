import { consumerDefaults } from '../../../src/consumer/consumer-settings.js';

/** The settings that every simulated process has; the age cap is the schedule's. */
export const retryPolicy = {
  ...consumerDefaults.retry,
  maxAttempts: 4,
  maxBugAttempts: 2,
  maxWaitMs: 4_000,
};

/** Waits between probes while a dependency is down. */
export const probePolicy = { firstWaitMs: 500, maxWaitMs: 4_000 };
