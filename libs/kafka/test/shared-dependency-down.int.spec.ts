import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, TcpProxy } from '@anabranch/test-support';
import { planned } from './fixtures/plan.js';
import { MemberProcess } from './harness/member-process.js';
import { Platform } from './harness/platform.js';

const partitions = 2;
const settings = {
  maxInFlight: 8,
  probes: { firstWaitMs: 50, maxWaitMs: 200 },
  sessionTimeoutMs: 3_000,
  heartbeatIntervalMs: 500,
};

describe('a dependency that all documents share', () => {
  let platform: Platform;
  let proxy: TcpProxy;
  let member: MemberProcess;

  beforeAll(async () => {
    platform = await Platform.start({ partitions });
    proxy = await TcpProxy.start(new URL(platform.config.registryUrl).host);
  });
  afterAll(async () => {
    await member.end('SIGKILL');
    await proxy.close();
    await platform.close();
  });

  it('being down for longer than a session pauses intake, is probed by one record at a time, and costs nobody a try or a seat', async () => {
    const group = platform.uniqueGroup();
    const asks = `http://${proxy.address}${new URL(platform.config.registryUrl).pathname}/subjects`;
    const publish = async (prefix: string, count: number, text: string) => {
      const documents = Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
      await Promise.all(documents.map((documentId) => platform.publish(documentId, text)));
      return documents;
    };
    member = await MemberProcess.join(platform.config, group, settings);
    const before = await publish('before', 4, planned({ asks }));
    await eventually(() => member.documents('finished').length === before.length);

    proxy.isDown = true;
    const downAt = Date.now();
    const during = await publish('during', 30, planned({ asks }));
    await member.child.message('a shared dependency is down: intake pauses');
    await eventually(() => triesWhileDown(member).alone >= 5);
    await eventually(() => Date.now() - downAt > settings.sessionTimeoutMs);
    // Not even a record that needs no dependency starts: it could not say whether the dependency is back.
    const independent = await publish('independent', 4, 'text');
    const tries = triesWhileDown(member).alone;
    await eventually(() => triesWhileDown(member).alone > tries + 2);
    expect(member.documents('started')).not.toEqual(expect.arrayContaining(independent.slice(0, 1)));
    expect(await member.report()).toMatchObject({
      anabranch_intake_open: 0,
      anabranch_paused_partitions: partitions,
      health: { ready: false, reasons: [expect.stringMatching(/^postgres is down since/)] },
    });
    expect(triesWhileDown(member).together).toBeLessThan(settings.maxInFlight);

    proxy.isDown = false;
    await eventually(() => platform.hasNoLag(group));
    await member.heard();
    expect(member.documents('finished').sort()).toEqual([...before, ...during, ...independent].sort());
    expect(new Set(member.lines('started').map(({ attempt }) => attempt))).toEqual(new Set([1]));
    expect(member.lines('settled')).toEqual([]);
    expect(member.assignments).toHaveLength(1);
    expect(await member.report()).toMatchObject({ anabranch_intake_open: 1, anabranch_paused_partitions: 0 });
  }, 60_000);
});

/** The tries that began after the intake had paused: those that ran alone, and those that ran beside another one. */
function triesWhileDown({ child }: MemberProcess): { alone: number; together: number } {
  const tries = { alone: 0, together: 0 };
  let running = 0;
  let isDown = false;
  for (const { msg } of child.lines) {
    if (msg === 'a shared dependency is down: intake pauses') isDown = true;
    if (msg === 'the dependency is back: intake resumes') isDown = false;
    if (msg === 'finished' || msg === 'failed') running--;
    if (msg !== 'started') continue;
    if (isDown) tries[running === 0 ? 'alone' : 'together']++;
    running++;
  }
  return tries;
}
