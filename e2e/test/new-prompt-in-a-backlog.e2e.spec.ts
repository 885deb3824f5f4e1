import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { allComplete, distinct, postAll } from '../src/backlog.js';
import { caughtUp, endsOf, setBack, type Positions } from '../src/consumer-groups.js';
import { doorAt, type Door } from '../src/door.js';
import { startModelStub, type ModelStub } from '../src/model-stub.js';
import { createOwnServices, type OwnService } from '../src/own-services.js';
import { addressBook, eventually } from '../src/platform.js';
import { rows } from '../src/tables.js';

jest.setTimeout(180_000);

const newer = 'e2e/src/summary-with-another-prompt.mjs';
const inFlight = 16;

const services = createOwnServices();
const jobs: string[] = [];
let stub: ModelStub;
let door: Door;
let begin: Positions;

const startSummary = (main?: string): Promise<OwnService> =>
  services.start('summary', {
    env: { ...stub.env, ANABRANCH_LEDGER_LEASE_MS: '3000', ANABRANCH_MODEL_MAX_IN_FLIGHT: String(inFlight) },
    ...(main !== undefined && { main }),
  });

const post = async (name: string, count: number): Promise<string[]> => {
  const posted = await postAll(door, distinct(name, count));
  jobs.push(...posted);
  return posted;
};

const versionsOf = async (posted: readonly string[]): Promise<string[]> => {
  const found = await rows<{ version: string }>(
    `SELECT DISTINCT engine->>'promptVersion' AS version FROM outcome WHERE job_id = ANY($1::uuid[])`,
    [posted],
  );
  return found.map(({ version }) => version);
};

beforeAll(async () => {
  [stub, begin] = await Promise.all([startModelStub(['summary']), endsOf('document.ingested')]);
  door = doorAt(addressBook().url);
});

afterAll(async () => {
  await services.end();
  await stub.close();
});

describe('another version of a prompt that comes in the middle of a backlog', () => {
  it('is used for what had not begun, and nothing that was bought or begun is bought by it', async () => {
    const older = await startSummary();
    const done = await post('done', 40);
    await allComplete(done);
    stub.always({ kind: 'answer', delayMs: 600_000 });
    const begun = await post('begun', inFlight);
    await eventually('all are under way', () =>
      Promise.resolve(stub.calls().length === 40 + inFlight ? true : undefined),
    );
    older.hold();
    older.kill();
    const waiting = await post('waiting', 40);
    stub.always({ kind: 'answer', delayMs: 0 });
    await older.stop();
    const next = await startSummary(newer);
    await allComplete(jobs);
    // What the crash cut off was asked again, by the prompt and with the key that it had.
    expect({ calls: stub.calls().length, operations: stub.callsByKey().size }).toEqual({
      calls: 80 + 2 * inFlight,
      operations: 80 + inFlight,
    });
    const [before] = await versionsOf(done);
    expect(before).not.toBe('another');
    expect(await versionsOf(done)).toEqual([before]);
    expect(await versionsOf(begun)).toEqual([before]);
    expect(await versionsOf(waiting)).toEqual(['another']);
    await next.stop({ isRemoved: true });
  });

  it('asks nothing when all of it is delivered again', async () => {
    const before = stub.calls().length;
    await setBack('anabranch.summary', 'document.ingested', begin);
    await startSummary(newer);
    await caughtUp('anabranch.summary', 'document.ingested');
    expect(jobs).toHaveLength(80 + inFlight);
    expect(stub.calls().length).toBe(before);
  });
});
