import { describe, expect, test } from '@jest/globals';
import { HealthChecks } from '../src/health.js';

describe('health', () => {
  test('names each thing that is not ready, by service and check', () => {
    const checks = new HealthChecks();
    checks.of('summary').register('kafka', () => ({ ready: false, reasons: ['a', 'b'] }));
    checks.of('summary').register('store', () => ({ ready: true }));
    checks.of('collection').register('postgres', () => ({ ready: false, reason: 'c' }));
    expect(checks.readinessFaults()).toEqual([
      { service: 'summary', check: 'kafka', reason: 'a' },
      { service: 'summary', check: 'kafka', reason: 'b' },
      { service: 'collection', check: 'postgres', reason: 'c' },
    ]);
  });

  test('asks for a restart only when a check of progress fails', () => {
    const checks = new HealthChecks();
    checks.of('summary').register('kafka', () => ({ ready: false, reason: 'down' }));
    expect(checks.livenessFaults()).toEqual([]);
    checks.of('summary').register('progress', () => ({ ready: false, reason: 'stuck' }), { live: true });
    expect(checks.livenessFaults()).toEqual([{ service: 'summary', check: 'progress', reason: 'stuck' }]);
  });

  test('takes a check that throws for one that fails', () => {
    const checks = new HealthChecks();
    checks.of('summary').register('kafka', () => {
      throw new Error('no client');
    });
    expect(checks.readinessFaults()[0]?.reason).toBe('the check failed: no client');
  });
});
