import { describe, expect, test } from '@jest/globals';
import { evolve, isSettled, jobStates, mayMove, type Job, type JobEvent, type JobState } from '../src/index.js';

// Architecture §5, drawn as arrows. Written out here on purpose: the product's table is checked against the diagram.
const arrows = new Set([
  'accepted → rejected',
  'accepted → analysing',
  'accepted → cancelled',
  'accepted → superseded',
  'analysing → complete',
  'analysing → partial',
  'analysing → awaiting_review',
  'analysing → cancelled',
  'analysing → superseded',
  'awaiting_review → released',
  'awaiting_review → withheld',
  'awaiting_review → cancelled',
  'awaiting_review → superseded',
  'partial → partial',
  'partial → complete',
  'partial → awaiting_review',
  'complete → complete',
  'complete → awaiting_review',
  'released → awaiting_review',
]);

const pairs = jobStates.flatMap((from) => jobStates.map((to) => [from, to] as const));

function jobIn(state: JobState): Job {
  const analyses = { summary: { wantedRun: 1, effective: null } };
  const known = { reason: null, supersededBy: null, deadlineAt: 0, resultVersion: 0, sequence: 1 };
  return { id: 'job', revision: 1, state, analyses, ...known };
}

/** The event that would bring a job into the state, whatever the table says. */
function eventTo(state: JobState): JobEvent | null {
  if (state === 'accepted') return null;
  if (state === 'analysing') return { type: 'analysing' };
  if (state === 'awaiting_review') return { type: 'review-requested', reason: 'a rule asks' };
  const rest = { reason: null, supersededBy: null, resultVersion: 1, resultDigest: '', final: true, outcomeIds: [] };
  return { type: 'settled', state, ...rest };
}

describe('the transition table', () => {
  test('has ten states, and seven of them are settled', () => {
    expect(jobStates).toHaveLength(10);
    expect(jobStates.filter(isSettled).sort()).toEqual([
      'cancelled',
      'complete',
      'partial',
      'rejected',
      'released',
      'superseded',
      'withheld',
    ]);
  });

  test.each(pairs)('from %s to %s it allows what the diagram draws, and nothing else', (from, to) => {
    expect(mayMove(from, to)).toBe(arrows.has(`${from} → ${to}`));
  });

  test.each(pairs)('a history may go from %s to %s only where the table allows it', (from, to) => {
    const event = eventTo(to);
    if (event === null) {
      const again: JobEvent = { type: 'accepted', jobId: 'job', revision: 1, requestedAnalyses: [], deadlineAt: 0 };
      expect(() => evolve(jobIn(from), again)).toThrow('accepted once');
    } else if (arrows.has(`${from} → ${to}`)) {
      expect(evolve(jobIn(from), event).state).toBe(to);
    } else {
      expect(() => evolve(jobIn(from), event)).toThrow(`A job that is ${from} cannot become ${to}.`);
    }
  });

  test('a job begins as accepted, and as nothing else', () => {
    expect(jobStates.filter((state) => mayMove(null, state))).toEqual(['accepted']);
    expect(() => evolve(null, { type: 'analysing' })).toThrow('cannot begin');
  });

  test('every unsettled state may become cancelled or superseded, and no settled one', () => {
    for (const state of jobStates) {
      expect(mayMove(state, 'cancelled')).toBe(!isSettled(state));
      expect(mayMove(state, 'superseded')).toBe(!isSettled(state));
    }
  });
});
