import { afterEach, describe, expect, it } from '@jest/globals';
import { armFailPoints, failPointNames, failPoints, reach, type FailPoint } from '../src/fail-points.js';

afterEach(() => armFailPoints(null));

describe('a fail point', () => {
  it('does nothing unless the process was told what to do', () => {
    expect(() => failPointNames.forEach(reach)).not.toThrow();
  });

  it('does what the process was told, each time, until it is told otherwise', () => {
    const reached: FailPoint[] = [];
    armFailPoints((point) => reached.push(point));
    failPointNames.forEach(reach);
    expect(reached).toEqual(failPointNames);
    armFailPoints(null);
    failPointNames.forEach(reach);
    expect(reached).toHaveLength(failPointNames.length);
  });

  it('is named for where it is and what was the last to happen, and can be the name of a file', () => {
    for (const [name, meaning] of Object.entries(failPoints)) {
      expect(name).toMatch(/^[a-z]+\.[a-z]+(?:-[a-z]+)*$/);
      expect(meaning.length).toBeGreaterThan(10);
    }
  });
});
