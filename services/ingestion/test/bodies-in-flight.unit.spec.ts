import { afterEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { AcceptedDocument } from '@anabranch/database/jobs';
import { createBodyBudget } from '../src/http/body-budget.js';
import { ingestionConfig } from '../src/ingestion.config.js';
import { problemSchema } from '../src/openapi/api-problems.js';
import { Door, requestOf } from './fixtures/door.js';

const maxBodyBytesInFlight = 1_500;
const plain = { 'content-type': 'text/plain' };
const thousand = 'a'.repeat(1_000);
const post = (body: string) => requestOf('POST /v1/documents', plain, body);

let door: Door | undefined;
afterEach(() => door?.close());

/** A door behind which documents wait until they are let through. */
async function openDoor(
  limits: { maxBodyBytesInFlight: number; maxDocumentBytes?: number } = { maxBodyBytesInFlight },
) {
  const waiting: (() => void)[] = [];
  const arrivals: (() => void)[] = [];
  const acceptance = async () => {
    const answered = new Promise<void>((resolve) => waiting.push(resolve));
    arrivals.shift()?.();
    await answered;
    return { job: { id: 'j', documentId: 'd' }, created: true } as AcceptedDocument;
  };
  door = await Door.open({ ports: { acceptance }, ...limits });
  return {
    door,
    letThrough: () => waiting.splice(0).forEach((resolve) => resolve()),
    nextArrival: () => new Promise<void>((resolve) => arrivals.push(resolve)),
  };
}

describe('the bytes of all bodies that are held at a time', () => {
  it('are bounded: beyond, a document is to be sent again later', async () => {
    const { door, letThrough, nextArrival } = await openDoor();
    const arrival = nextArrival();
    const first = door.send(post(thousand));
    await arrival;
    const second = await door.send(post(thousand));
    expect(second.status).toBe(503);
    expect(Number(second.headers['retry-after'])).toBeGreaterThan(0);
    expect(problemSchema.parse(JSON.parse(second.body))).toMatchObject({ code: 'OVERLOADED', status: 503 });

    letThrough();
    expect((await first).status).toBe(202);
    const next = nextArrival();
    const third = door.send(post(thousand));
    await next;
    letThrough();
    expect((await third).status).toBe(202);
  });

  it('are counted as they come, also when their number was not announced', async () => {
    const { door, nextArrival, letThrough } = await openDoor();
    const arrival = nextArrival();
    const first = door.send(post(thousand));
    await arrival;
    const head = requestOf('POST /v1/documents', { ...plain, 'transfer-encoding': 'chunked' });
    const chunk = `1f4\r\n${'b'.repeat(500)}\r\n`;
    const second = await door.send(`${head}${chunk}${chunk}0\r\n\r\n`);
    expect(second.status).toBe(503);
    letThrough();
    expect((await first).status).toBe(202);
  });

  it('are given back by a client that goes away while it sends', async () => {
    const { door, nextArrival, letThrough } = await openDoor();
    for (let round = 0; round < 5; round += 1) {
      const leaving = door.connect();
      leaving.write(post(thousand).slice(0, -10));
      leaving.leave();
      await leaving.answer();
    }
    const arrival = nextArrival();
    const last = door.send(post(thousand));
    await arrival;
    letThrough();
    expect((await last).status).toBe(202);
  });

  it('are held to the end of the work, also when its client has gone', async () => {
    const { door, nextArrival, letThrough } = await openDoor();
    const arrival = nextArrival();
    const leaving = door.connect();
    leaving.write(post(thousand));
    await arrival;
    leaving.leave();
    await leaving.answer();
    expect((await door.send(post(thousand))).status).toBe(503);
    letThrough();
  });

  it('are not all one tenant’s: beyond its half it is to send again later, and others are not held up', async () => {
    const { door, letThrough, nextArrival } = await openDoor({
      maxBodyBytesInFlight: 200_000,
      maxDocumentBytes: 10_000,
    });
    const document = 'a'.repeat(10_000);
    const arrivals = Array.from({ length: 11 }, nextArrival);
    const held = Array.from({ length: 10 }, () => door.send(post(document)));
    await Promise.all(arrivals.slice(0, 10));
    const refused = await door.send(post(document));
    expect(refused).toMatchObject({ status: 429, headers: { 'retry-after': '2' } });
    const problem = { code: 'TENANT_LIMIT_REACHED', limit: 'body-bytes', max: 100_000 };
    expect(problemSchema.parse(JSON.parse(refused.body))).toMatchObject(problem);
    const headers = { ...plain, authorization: 'Bearer neighbour' };
    const neighbour = door.send(requestOf('POST /v1/documents', headers, document));
    await arrivals[10];
    letThrough();
    expect((await Promise.all([...held, neighbour])).map(({ status }) => status)).toEqual(Array(11).fill(202));
  });

  it.each([
    ['POST /x', 404, 'ROUTE_NOT_FOUND'],
    ['POST /v1/jobs', 405, 'METHOD_NOT_ALLOWED'],
    ['PUT /healthz', 404, 'ROUTE_NOT_FOUND'],
  ])('are not taken where nobody reads them: %s', async (line, status, code) => {
    const { door } = await openDoor();
    // The answer comes although the body never does.
    const answer = await door.send(requestOf(line, { ...plain, 'content-length': '1000' }, thousand.slice(1)));
    expect(answer.status).toBe(status);
    expect(problemSchema.parse(JSON.parse(answer.body))).toMatchObject({ code });
  });

  it('of a GET are nobody’s: its client may go away in the middle of them, and others are served', async () => {
    const gone = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    const list = async () => {
      asked.resolve();
      await gone.promise;
      return { jobs: [], nextCursor: null };
    };
    door = await Door.open({ ports: { jobs: { list } as never } });
    const leaving = door.connect();
    leaving.write(requestOf('GET /v1/jobs', { 'content-length': '50' }, 'some'));
    await asked.promise;
    leaving.leave();
    await leaving.answer();
    gone.resolve();
    expect((await door.send(requestOf('GET /v1/jobs', {}, 'some'))).status).toBe(200);
    expect((await door.send(requestOf('GET /openapi.json', {}, 'some'))).status).toBe(200);
  });

  it('cost a request without a body nothing', async () => {
    const { door, nextArrival, letThrough } = await openDoor();
    const arrivals = [nextArrival(), nextArrival()];
    const answers = [door.send(post(thousand)), door.send(requestOf('POST /v1/documents', plain))];
    await Promise.all(arrivals);
    letThrough();
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([202, 202]);
  });
});

describe('a budget', () => {
  it('never gives more than it has, and has all again when every share is released', () => {
    const steps = fc.array(fc.tuple(fc.nat({ max: 4 }), fc.nat({ max: 60 }), fc.boolean()), { maxLength: 60 });
    fc.assert(
      fc.property(steps, (taken) => {
        const open = createBodyBudget({ all: 100, ofTenant: 60 });
        const tenantOf = (index: number) => (index < 3 ? 'acme' : 'globex');
        const shares = Array.from({ length: 5 }, (_, index) => ({ share: open(tenantOf(index)), own: 0 }));
        for (const [index, bytes, isReleased] of taken) {
          const one = shares[index] ?? { share: open('acme'), own: 0 };
          const heldBy = (part: typeof shares) => part.reduce((sum, { own }) => sum + own, 0);
          const [all, ofTenant] = [heldBy(shares), heldBy(index < 3 ? shares.slice(0, 3) : shares.slice(3))];
          if (isReleased) {
            one.share.release();
            Object.assign(one, { share: open(tenantOf(index)), own: 0 });
            continue;
          }
          const expected = ofTenant + bytes > 60 ? 'tenant' : all + bytes > 100 ? 'all' : null;
          expect(one.share.take(bytes)).toBe(expected);
          if (expected === null) one.own += bytes;
        }
        for (const { share } of shares) share.release();
        expect([open('acme').take(60), open('globex').take(40), open('globex').take(1)]).toEqual([null, null, 'all']);
      }),
    );
  });

  it('that the largest document does not fit into is a fault of the settings, with the way out', () => {
    const required = {
      postgresUrl: 'postgres://x/y',
      kafkaBrokers: 'k:1',
      registryUrl: 'http://r',
      objectStoreDir: '/o',
    };
    expect(ingestionConfig.safeParse(required).success).toBe(true);
    const { error } = ingestionConfig.safeParse({ ...required, maxDocumentBytes: '100000000' });
    expect(error?.issues).toMatchObject([{ path: ['maxBodyBytesInFlight'] }]);
  });
});
