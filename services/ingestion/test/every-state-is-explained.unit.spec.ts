import { describe, expect, it } from '@jest/globals';
import type { JobReasons, OutstandingRun } from '@anabranch/database/jobs';
import { jobStates, type JobState } from '@anabranch/job';
import type { Consumption } from '../src/why/consumption.js';
import { becauseOfJob, becauseOfRun, type Known } from '../src/why/reasons.js';

const now = new Date('2026-03-01T12:00:00.000Z');
const later = new Date('2026-03-01T12:05:00.000Z');
const before = new Date('2026-03-01T11:55:00.000Z');

const open: OutstandingRun = {
  run: 1,
  deferral: null,
  command: null,
  begunAt: null,
  calls: { answered: 0, underWay: 0 },
};
const deferral = { reason: 'PROVIDER_UNAVAILABLE', dependency: 'openai-compatible m', dueAt: later, releases: 2 };

interface Situation {
  state?: JobState;
  reasons?: Partial<JobReasons>;
  job?: Partial<JobReasons['job']>;
  consumption?: Partial<Consumption> | null;
  maxOutstanding?: number;
}

const knownIn = ({ state = 'analysing', reasons, job, consumption = {}, maxOutstanding = 10 }: Situation): Known => {
  const view = {
    id: '9f060050-aa53-51f7-92f3-ae30dbf244e4',
    documentId: 'd',
    revision: 1,
    state,
    reason: null,
    supersededBy: null,
    createdAt: before.toISOString(),
    updatedAt: before.toISOString(),
    deadlineAt: later.toISOString(),
    analyses: { one: 'done', two: 'waiting' },
    runs: { one: 1, two: 1 },
    resultVersion: 1,
    sequence: 1,
    ...job,
  } as const;
  const result = { final: true } as JobReasons['result'];
  const read = consumption && {
    topic: 'document.ingested',
    members: 1,
    unfinished: 0,
    unread: 0,
    ...consumption,
  };
  return {
    reasons: {
      now,
      job: view,
      result,
      unpublished: null,
      keptAside: null,
      isSettlementUnpublished: false,
      outstanding: { two: open },
      ...reasons,
    },
    consumption: new Map([['two', read]]),
    maxOutstanding,
  };
};

describe('a job', () => {
  it.each(jobStates.map((state) => [state]))('that is %s has a reason with a sentence', (state) => {
    const { code, message } = becauseOfJob(knownIn({ state }));
    expect(code).toMatch(/^[A-Z_]+$/);
    expect(message).toMatch(/\.$/);
  });

  const situations: [string, Situation, object][] = [
    ['EVENT_WAITS', { state: 'accepted', reasons: { unpublished: { ahead: 3, outstanding: 9 } } }, { ahead: 3 }],
    ['TENANT_BOUND', { state: 'accepted', reasons: { unpublished: { ahead: 3, outstanding: 10 } } }, { max: 10 }],
    [
      'EVENT_WAITS',
      { state: 'accepted', reasons: { unpublished: { ahead: 0, outstanding: 99 } }, maxOutstanding: 0 },
      { ahead: 0 },
    ],
    ['EVENT_UNPUBLISHABLE', { state: 'accepted', reasons: { keptAside: 'too large' } }, { failure: 'too large' }],
    ['NOT_READ_YET', { state: 'accepted' }, {}],
    ['ANALYSES_OUTSTANDING', {}, { analyses: ['two'], deadlineAt: later.toISOString() }],
    ['DEADLINE_PASSED', { job: { deadlineAt: before.toISOString() } }, { analyses: ['two'] }],
    ['CANCELLED', { state: 'cancelled', job: { reason: 'No longer needed.' } }, { message: 'No longer needed.' }],
    ['SUPERSEDED', { state: 'superseded', job: { supersededBy: 4 } }, { supersededBy: 4, isPublished: true }],
    ['COMPLETE', { state: 'complete', reasons: { isSettlementUnpublished: true } }, { isPublished: false }],
  ];
  it.each(situations)('is explained by %s', (code, situation, details) => {
    expect(becauseOfJob(knownIn(situation))).toMatchObject({ code, ...details });
  });
});

describe('an analysis without an outcome', () => {
  const command = { cause: 'RERUN', at: before, isPublished: true };
  const situations: [string, Partial<OutstandingRun>, Situation, object][] = [
    ['DEFERRED', { deferral }, {}, { until: later.toISOString(), reason: 'PROVIDER_UNAVAILABLE', releases: 2 }],
    ['DEFERRED', { deferral: { ...deferral, dueAt: before } }, {}, { until: before.toISOString() }],
    ['NOT_PUBLISHED', {}, { reasons: { unpublished: { ahead: 1, outstanding: 0 } } }, {}],
    ['NOT_PUBLISHED', { command: { ...command, isPublished: false } }, {}, {}],
    ['IN_QUEUE', { command }, { consumption: { unfinished: 7 } }, { recordsBefore: 7 }],
    ['IN_QUEUE', {}, { consumption: { unfinished: 1 } }, { topic: 'document.ingested' }],
    ['NO_CONSUMER', {}, { consumption: { unfinished: 1, members: 0 } }, { recordsBefore: 1 }],
    [
      'ASKING_MODEL',
      { begunAt: before, calls: { answered: 2, underWay: 1 } },
      { consumption: { unfinished: 1 } },
      { answered: 2, underWay: 1, begunAt: before.toISOString() },
    ],
    ['OUTCOME_UNREAD', {}, { consumption: { unread: 5 } }, { outcomesBefore: 5 }],
    ['OUTCOME_DUE', {}, {}, {}],
    ['BROKER_UNREACHABLE', {}, { consumption: null }, {}],
    ['NOT_WANTED', { deferral }, { state: 'cancelled' }, {}],
  ];
  it.each(situations)('is explained by %s', (code, run, situation, details) => {
    const because = becauseOfRun('two', { ...open, ...run }, knownIn(situation));
    expect(because).toMatchObject({ code, ...details });
    expect(because.message).toMatch(/\.$/);
  });
});
