import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { type FailPoint, failPointNames, failPoints } from '@anabranch/failures/fail-points';
import { caughtUp } from '../src/consumer-groups.js';
import { doorAt, type Door } from '../src/door.js';
import { createDrillGround, type DrillGround } from '../src/drill.js';
import { startModelStub, type ModelStub } from '../src/model-stub.js';
import { createOwnServices, type OwnService } from '../src/own-services.js';
import { command, eventually, unique } from '../src/platform.js';
import { rows } from '../src/tables.js';
import { dump } from '../src/topics.js';

jest.setTimeout(300_000);

// The services under drill, each in a lane of its own: lanes run side by side. `classification` and `summary` ask a model.
const lanes = ['ingestion', 'collection', 'classification', 'summary'] as const;
type Lane = (typeof lanes)[number];

interface Drill {
  at: Lane;
  /** Brings a process to the point, and afterwards lets all go on; returns the jobs. */
  how(text: string, point: Armed): Promise<string[]>;
  /** How many calls the jobs cost, or what else it may be; left out where another lane's kills may cut them off as well. */
  calls?: number | readonly number[];
  /** What its jobs settle as. */
  state?: string;
}

interface Armed {
  hit(): Promise<void>;
}

let stub: ModelStub;
let ground: DrillGround;
let door: Door;
const services = createOwnServices();
const running = new Map<Lane, OwnService>();
const processes: OwnService[] = [];
const reports = new Map<string, { jobs: string[]; calls: number; drill: Drill }>();

const processOf = (lane: Lane): OwnService => running.get(lane)!;

/** One document, analysed by nobody who is killed meanwhile, unless it is said. */
const document =
  (analysis = 'sentiment', more: Record<string, unknown> = {}) =>
  async (text: string, { hit }: Armed): Promise<string[]> => {
    const { id } = await door.submit({ documentId: crypto.randomUUID(), text, analyses: [analysis], ...more });
    await hit();
    return [id];
  };

const documentWhile =
  (analysis: Lane, behaviour: Parameters<ModelStub['when']>[1], afterwards?: (jobId: string) => Promise<void>) =>
  async (text: string, { hit }: Armed): Promise<string[]> => {
    const recover = stub.when(text, behaviour);
    const { id } = await door.submit({ documentId: crypto.randomUUID(), text, analyses: [analysis] });
    await afterwards?.(id);
    await hit();
    recover();
    return [id];
  };

/** How often the model was asked for these jobs. */
const callsFor = async (jobs: readonly string[]): Promise<number> => {
  const asked = await rows<{ key: string }>(
    `SELECT DISTINCT encode(key, 'hex') AS key FROM operation_use WHERE job_id = ANY($1::uuid[])`,
    [jobs],
  );
  const byKey = stub.callsByKey();
  return asked.reduce((sum, { key }) => sum + (byKey.get(key)?.length ?? 0), 0);
};

/** Two documents with one text: the second waits for the first one's call, which is under way. */
const twins =
  (analysis: Lane) =>
  async (text: string, { hit }: Armed): Promise<string[]> => {
    const recover = stub.when(text, { kind: 'answer', delayMs: 60_000 });
    const submit = () => door.submit({ documentId: crypto.randomUUID(), text, analyses: [analysis] });
    const { id: one } = await submit();
    await eventually('the model is asked', async () => ((await callsFor([one])) > 0 ? true : undefined));
    const { id: other } = await submit();
    await hit();
    recover();
    return [one, other];
  };

/** What a service does by itself when it starts. */
const restart =
  (lane: Lane) =>
  async (text: string, { hit }: Armed): Promise<string[]> => {
    processOf(lane).kill();
    await hit();
    return [(await door.submit({ documentId: crypto.randomUUID(), text, analyses: ['sentiment'] })).id];
  };

const anotherRun = async (text: string, { hit }: Armed): Promise<string[]> => {
  const { id } = await door.submit({ documentId: crypto.randomUUID(), text, analyses: ['sentiment'] });
  await door.settled(id);
  const path = `/v1/jobs/${id}/analyses/sentiment/runs`;
  await expect(door.ask('POST', path, { expectedRun: 1 })).rejects.toThrow('fetch failed');
  await hit();
  const again = await eventually('the door answers', () => door.ask('POST', path, { expectedRun: 1 }));
  expect(await again.json()).toMatchObject({ code: 'RUN_MOVED', wantedRun: 2 });
  await eventually('the second run is done', async () =>
    (await door.settled(id)).resultVersion === 2 ? true : undefined,
  );
  return [id];
};

/** Settles without its analysis, which is down, and once more when that is back. */
const late = async (text: string, { hit }: Armed): Promise<string[]> => {
  await command('stop', 'compliance');
  const document = { documentId: crypto.randomUUID(), text, analyses: ['compliance'], deadlineMs: 500 };
  const { id } = await door.submit(document);
  await hit();
  await door.settled(id, 'partial');
  await command('start', '--only', 'compliance');
  return [id];
};

/** Its wait, as if it were over. */
const endWait = async (jobId: string): Promise<void> => {
  await eventually('the run is deferred', async () => {
    const ended = await rows('UPDATE deferred SET due_at = now() WHERE job_id = $1 RETURNING true', [jobId]);
    return ended.length > 0 ? true : undefined;
  });
};

const deferredAndReleased = async (text: string, { hit }: Armed): Promise<string[]> => {
  const recover = stub.when(text, { kind: 'error', status: 429, retryAfter: '600' });
  const { id } = await door.submit({ documentId: crypto.randomUUID(), text, analyses: ['entity-extraction'] });
  await eventually('the job says what it waits for', async () =>
    (await door.job(id)).waits?.['entity-extraction']?.reason === 'RETRY_LATER' ? true : undefined,
  );
  recover();
  await endWait(id);
  await hit();
  return [id];
};

/** Its run has begun as if under another configuration when it is taken up again. */
const pinnedOtherwise =
  (analysis: Lane) =>
  async (text: string, { hit }: Armed): Promise<string[]> => {
    const recover = stub.when(text, { kind: 'error', status: 429, retryAfter: '600' });
    const { id } = await door.submit({ documentId: crypto.randomUUID(), text, analyses: [analysis] });
    await eventually('the job says what it waits for', async () =>
      (await door.job(id)).waits?.[analysis]?.reason === 'RETRY_LATER' ? true : undefined,
    );
    const model = unique('pinned');
    const pin = `UPDATE pin SET choice = jsonb_set(choice, '{model}', to_jsonb($2::text)) WHERE job_id = $1 RETURNING true`;
    expect(await rows(pin, [id, model])).toHaveLength(1);
    recover();
    await endWait(id);
    await hit();
    await door.settled(id);
    expect(stub.calls().filter((call) => call.model === model)).toHaveLength(1);
    return [id];
  };

/** The holder of a call dies and stays dead; whoever waits for it takes over, and dies as well. */
const takenOver = async (text: string, { hit }: Armed): Promise<string[]> => {
  const other = await services.start('summary', { env: environment(), instance: 1 });
  processes.push(other);
  const both = [processOf('summary'), other];
  const recover = stub.when(text, { kind: 'answer', delayMs: 60_000 });
  both.forEach((service) => service.hold());
  const beat = ground.arm('ledger.beat', 'summary');
  const jobs = await Promise.all(
    Array.from({ length: 24 }, () => door.submit({ documentId: crypto.randomUUID(), text, analyses: ['summary'] })),
  );
  await beat.hit();
  await hit();
  recover();
  both.forEach((service) => service.resume());
  return jobs.map(({ id }) => id);
};

/** The documents of other lanes are passed over at these steps, too: who dies at one of them may cut the call off. */
const atAnyDocument = [1, 2];
/** The refusal is published: who comes back asks again, unless the job has settled by then. */
const refusedBefore = { calls: [1, 2], state: 'partial' };
const slow = { kind: 'answer', delayMs: 1_500 } as const;
const failing = { kind: 'error', status: 503 } as const;
const rejecting = { kind: 'error', status: 400 } as const;
const rejected = { calls: 2, state: 'partial' };

const drills: Record<FailPoint, readonly Drill[]> = {
  'keys.forgotten': [{ at: 'ingestion', how: restart('ingestion') }],
  'acceptance.text-stored': [
    { at: 'ingestion', how: (text, armed) => document()(text + '. Good!'.repeat(4_000), armed) },
  ],
  'acceptance.before-commit': [{ at: 'ingestion', how: document() }],
  'acceptance.committed': [{ at: 'ingestion', how: document() }],
  'command.committed': [{ at: 'ingestion', how: anotherRun }],
  'relay.before-publish': [
    { at: 'ingestion', how: document() },
    { at: 'collection', how: document() },
  ],
  'relay.published': [
    { at: 'ingestion', how: document() },
    { at: 'collection', how: document() },
  ],
  'relay.removed': [
    { at: 'ingestion', how: document() },
    { at: 'collection', how: document() },
  ],
  'retention.swept': [{ at: 'collection', how: restart('collection') }],
  'collection.before-commit': [{ at: 'collection', how: document() }],
  'collection.committed': [{ at: 'collection', how: document() }],
  'consumer.handled': [
    { at: 'collection', how: document() },
    { at: 'summary', how: document('summary'), calls: atAnyDocument },
  ],
  'consumer.before-commit': [
    { at: 'collection', how: document() },
    { at: 'classification', how: document('classification'), calls: atAnyDocument },
  ],
  'consumer.committed': [
    { at: 'collection', how: document() },
    { at: 'classification', how: document('classification'), calls: atAnyDocument },
  ],
  'deadlines.passed': [{ at: 'collection', how: late }],
  'releases.committed': [{ at: 'collection', how: deferredAndReleased }],
  'ledger.before-claim': [{ at: 'summary', how: document('summary'), calls: 1 }],
  'ledger.pinned-otherwise': [{ at: 'summary', how: pinnedOtherwise('summary'), calls: 2 }],
  'ledger.granted': [{ at: 'classification', how: document('classification'), calls: 1 }],
  'ledger.beat': [{ at: 'summary', how: documentWhile('summary', slow), calls: 2 }],
  'ledger.waiting': [{ at: 'classification', how: twins('classification'), calls: 2 }],
  'ledger.call-failed': [{ at: 'summary', how: documentWhile('summary', failing), calls: 2 }],
  'ledger.released': [{ at: 'classification', how: documentWhile('classification', failing), calls: 2 }],
  'ledger.answered': [{ at: 'summary', how: document('summary'), calls: 2 }],
  'ledger.stored': [{ at: 'classification', how: document('classification'), calls: 1 }],
  'analysis.before-publish': [{ at: 'summary', how: document('summary'), calls: 1 }],
  'analysis.published': [{ at: 'classification', how: document('classification'), calls: 1 }],
  'consumer.dead-lettered': [{ at: 'classification', how: document('classification'), ...rejected }],
  'consumer.settled': [{ at: 'summary', how: document('summary'), ...refusedBefore }],
  'consumer.deferred': [
    {
      at: 'classification',
      how: documentWhile('classification', { kind: 'error', status: 429, retryAfter: '600' }),
      calls: 2,
    },
  ],
  'ledger.taken-over': [{ at: 'summary', how: takenOver, calls: 2 }],
};

const environment = (): Record<string, string> => ({
  ...stub.env,
  ANABRANCH_FAIL_POINT_DIR: ground.folder,
  ANABRANCH_LEDGER_LEASE_MS: '1000',
});

const nameOf = (point: FailPoint, { at }: Drill): string => `${point} at ${at}`;

async function run(point: FailPoint, drill: Drill): Promise<void> {
  // Else the point may be reached by what is left to do for the record before.
  if (drill.at === 'classification' || drill.at === 'summary')
    await caughtUp(`anabranch.${drill.at}`, 'document.ingested');
  const text = `Geneva met about ${point} at ${drill.at}, and it was good (${unique('run')})`;
  const jobs = await drill.how(text, ground.arm(point, drill.at));
  for (const id of jobs) await door.settled(id, drill.state);
  const calls = await callsFor(jobs);
  reports.set(nameOf(point, drill), { jobs, calls, drill });
}

async function runLane(lane: Lane): Promise<void> {
  for (const point of failPointNames)
    for (const drill of drills[point] ?? []) if (drill.at === lane) await run(point, drill);
}

beforeAll(async () => {
  [stub, ground] = [await startModelStub(['classification', 'summary', 'entity-extraction']), createDrillGround()];
  const started = await Promise.all(
    lanes.map(async (lane) => [lane, await services.start(lane, { env: environment() })] as const),
  );
  for (const [lane, service] of started) running.set(lane, service);
  processes.push(...running.values());
  // Asks a model, and is not killed: its runs are what collection releases.
  await services.start('entity-extraction', { env: stub.env });
  door = doorAt(processOf('ingestion').url);
  stub.when('consumer.dead-lettered', rejecting);
  stub.when('consumer.settled', rejecting);
  // A lane that fails must not leave the others running behind the end of the spec.
  const ended = await Promise.allSettled(lanes.map(runLane));
  for (const end of ended) if (end.status === 'rejected') throw end.reason;
});

afterAll(async () => {
  await services.end();
  await stub.close();
  ground.remove();
});

const everyDrill = failPointNames.flatMap((point) =>
  (drills[point] ?? []).map((drill) => ({ point, at: drill.at, drill })),
);

describe('kill -9 at a step', () => {
  it('is tried at every step that there is', () => {
    expect(failPointNames.length).toBeGreaterThan(30);
    expect(Object.keys(failPoints).filter((point) => (drills[point as FailPoint] ?? []).length === 0)).toEqual([]);
    expect([...reports.keys()].sort()).toEqual(everyDrill.map(({ point, drill }) => nameOf(point, drill)).sort());
    // Each drill has cost a process its life.
    const starts = processes.reduce((sum, service) => sum + service.starts, 0);
    expect(starts).toBeGreaterThanOrEqual(everyDrill.length + processes.length);
  });

  it.each(everyDrill)(
    '$point, at $at: every job settles, and no more is called than the crash can have cost',
    ({ point, drill }) => {
      const { calls, jobs } = reports.get(nameOf(point, drill))!;
      expect(jobs.length).toBeGreaterThan(0);
      expect([drill.calls ?? calls].flat()).toContain(calls);
    },
  );

  it('repeats a call with its key, and never after its answer was stored', async () => {
    const keysByRequest = Map.groupBy(stub.calls(), ({ requestSha256 }) => requestSha256);
    for (const calls of keysByRequest.values())
      expect(new Set(calls.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
    const answered = await rows<{ key: string; answered_at: Date }>(
      `SELECT encode(key, 'hex') AS key, answered_at FROM operation WHERE state = 'answered'`,
    );
    const answeredAt = new Map(answered.map(({ key, answered_at }) => [key, answered_at.getTime()]));
    const calls = stub.calls().filter(({ idempotencyKey }) => answeredAt.has(idempotencyKey));
    expect(calls.length).toBeGreaterThan(15);
    const late = calls.filter(
      ({ idempotencyKey, arrivedAt }) => Date.parse(arrivedAt) > answeredAt.get(idempotencyKey)!,
    );
    expect(late).toEqual([]);
  });

  it('leaves one outcome of each run, and one event of each settlement', async () => {
    const jobs = [...reports.values()].flatMap((report) => report.jobs);
    const doubled = await rows(
      `SELECT job_id, analysis, run FROM outcome WHERE job_id = ANY($1::uuid[]) AND status <> 'late'
       GROUP BY job_id, analysis, run HAVING count(*) > 1`,
      [jobs],
    );
    expect(doubled).toEqual([]);
    const enriched = (await dump('document.enriched')).filter(({ event }) => jobs.includes(String(event['jobId'])));
    const bySettlement = Map.groupBy(enriched, ({ event }) => `${event['jobId']} ${event['resultVersion']}`);
    expect(new Set(enriched.map(({ event }) => event['jobId'])).size).toBe(jobs.length);
    for (const events of bySettlement.values())
      expect(new Set(events.map(({ event }) => event['eventId'])).size).toBe(1);
  });
});
