// Why a job is as it is, in codes for machines and sentences for people. Pure: it is told what Postgres and the broker know.
import type { JobReasons, OutstandingRun } from '@anabranch/database/jobs';
import { isPublished, isSettled } from '@anabranch/job';
import type { Consumption } from './consumption.js';

/** One reason: a code, a sentence, and what else is known, by name. */
export interface Because {
  code: string;
  message: string;
  [detail: string]: unknown;
}

/** What is known of a job: null where the broker did not answer. */
export interface Known {
  reasons: JobReasons;
  consumption: ReadonlyMap<string, Consumption | null>;
  /** Most jobs of a tenant that are published and unsettled; 0: as many as there are. */
  maxOutstanding: number;
}

/** Whether an outcome that is outstanding could still change the job. */
export function isWaiting({ job: { state } }: JobReasons): boolean {
  return !isSettled(state) || isPublished(state);
}

/** Why the job is in its state. */
export function becauseOfJob(known: Known): Because {
  const { reasons } = known;
  const { job } = reasons;
  if (isSettled(job.state)) return settled(reasons);
  if (job.state === 'awaiting_review') return { code: 'AWAITING_REVIEW', message: job.reason ?? 'A person decides.' };
  if (reasons.keptAside !== null) {
    const message = 'The event of the document can never be published. Post it again, smaller or in another form.';
    return { code: 'EVENT_UNPUBLISHABLE', message, failure: reasons.keptAside };
  }
  if (reasons.unpublished !== null) return unpublished(known);
  if (job.state === 'accepted') {
    return { code: 'NOT_READ_YET', message: 'The document is on Kafka, and nobody has said yet that it was read.' };
  }
  return analysing(reasons);
}

function unpublished({ reasons, maxOutstanding }: Known): Because {
  const { ahead = 0, outstanding = 0 } = reasons.unpublished ?? {};
  if (maxOutstanding > 0 && outstanding >= maxOutstanding) {
    const message = `The document waits until fewer than ${maxOutstanding} of your published jobs are unsettled.`;
    return { code: 'TENANT_BOUND', message, ahead, outstanding, max: maxOutstanding };
  }
  const message = 'The document is accepted, and its event is not on Kafka yet.';
  return { code: 'EVENT_WAITS', message, ahead };
}

function analysing({ job, now, outstanding }: JobReasons): Because {
  const waiting = Object.keys(job.analyses).filter((name) => job.analyses[name] === 'waiting');
  const detail = { analyses: waiting, deadlineAt: job.deadlineAt };
  if (Date.parse(job.deadlineAt) <= now.getTime()) {
    const message =
      'The deadline has passed. What is outstanding is late as soon as everything is read that came in time.';
    return { code: 'DEADLINE_PASSED', message, ...detail };
  }
  const deferred = waiting.filter((name) => outstanding[name]?.deferral);
  const message = `${waiting.length} of ${Object.keys(job.analyses).length} analyses have no outcome yet${
    deferred.length > 0 ? `, ${deferred.length} of them ${deferred.length === 1 ? 'is' : 'are'} put off` : ''
  }.`;
  return { code: 'ANALYSES_OUTSTANDING', message, ...detail };
}

const sentences: Record<string, string> = {
  complete: 'Every requested analysis is done.',
  partial: 'Every requested analysis has an outcome, or its time is up, and not all are done.',
  released: 'A person has approved this result.',
  withheld: 'A person has rejected this result.',
  cancelled: 'The job was cancelled.',
  rejected: 'The document cannot be processed.',
  superseded: 'A newer revision of the document took its place.',
};

function settled({ job, result, isSettlementUnpublished }: JobReasons): Because {
  const { state, reason, supersededBy, resultVersion } = job;
  return {
    code: state.toUpperCase(),
    message: reason ?? sentences[state] ?? state,
    ...(supersededBy !== null && { supersededBy }),
    resultVersion,
    final: result.final,
    isPublished: !isSettlementUnpublished,
  };
}

/** Why the run of an analysis has no outcome. */
export function becauseOfRun(analysis: string, run: OutstandingRun, known: Known): Because {
  const { reasons } = known;
  const { state } = reasons.job;
  if (!isWaiting(reasons)) {
    return { code: 'NOT_WANTED', message: `The job is ${state}: an outcome would be kept, and change nothing.` };
  }
  if (run.deferral !== null) return deferred(run.deferral, reasons.now);
  if (run.command === null && reasons.unpublished !== null) {
    return { code: 'NOT_PUBLISHED', message: 'The document is not on Kafka yet.' };
  }
  if (run.command !== null && !run.command.isPublished) {
    return { code: 'NOT_PUBLISHED', message: 'The command for this run is not on Kafka yet.' };
  }
  return consumed(run, known.consumption.get(analysis) ?? null);
}

/** Why an outcome that came after the job was withdrawn or overtaken is not in its result. */
export function becauseUncounted({ job: { state } }: JobReasons): Because {
  return {
    code: 'NOT_WANTED',
    message: `It ended after the job was ${state}: its outcome is kept, and changes nothing.`,
  };
}

function deferred(deferral: NonNullable<OutstandingRun['deferral']>, now: Date): Because {
  const { reason, dependency, dueAt, releases } = deferral;
  const isDue = dueAt <= now;
  const message = isDue
    ? `It was put off because of ${reason}, and goes on when its turn comes.`
    : `It is put off because of ${reason}, until ${dueAt.toISOString()} at least.`;
  return { code: 'DEFERRED', message, reason, dependency, until: dueAt.toISOString(), releases };
}

function consumed({ begunAt, calls }: OutstandingRun, consumption: Consumption | null): Because {
  if (consumption === null) {
    return { code: 'BROKER_UNREACHABLE', message: 'Kafka does not answer, so nobody knows what was read.' };
  }
  const { topic, members, unfinished, unread } = consumption;
  if (members === 0 && unfinished > 0) {
    return { code: 'NO_CONSUMER', message: 'No process of this analysis runs.', topic, recordsBefore: unfinished };
  }
  if (begunAt !== null && unfinished > 0) {
    const message = `It has begun: ${calls.answered} calls of the model are answered, ${calls.underWay} are under way.`;
    return { code: 'ASKING_MODEL', message, begunAt: begunAt.toISOString(), ...calls };
  }
  if (unfinished > 0) {
    const message = `It is being worked on, or waits in the queue: at most ${unfinished} records of its partition are unfinished.`;
    return { code: 'IN_QUEUE', message, topic, recordsBefore: unfinished };
  }
  if (unread > 0) {
    const message = `It has ended, and its outcome is among the last ${unread} that are being read.`;
    return { code: 'OUTCOME_UNREAD', message, outcomesBefore: unread };
  }
  const message = 'All that lies in its partition was handled and read: the outcome is here in a moment.';
  return { code: 'OUTCOME_DUE', message };
}
