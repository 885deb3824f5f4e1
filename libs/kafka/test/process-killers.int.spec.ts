import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { eventually, NodeChild } from '@anabranch/test-support';
import { headerText } from '../src/incoming-record.js';
import { Platform } from './harness/platform.js';
import { readTopic } from './harness/read-topic.js';

// Some end their process five times, each time with a start of a process behind it, on a machine that may be busy.
jest.setTimeout(180_000);

const program = fileURLToPath(new URL('./fixtures/hosted-member.mjs', import.meta.url));
const launcher = fileURLToPath(new URL('../../service-host/dist/launcher.js', import.meta.url));
const ownExit = 'the process ended by its own fault; it is started again';
const maxExits = 3;

let platform: Platform;
let group: string;
const children: NodeChild[] = [];

beforeEach(async () => {
  platform = await Platform.start({ partitions: 1 });
  group = platform.uniqueGroup();
});
afterEach(async () => {
  for (const child of children.splice(0)) {
    child.kill('SIGTERM');
    await child.exit;
  }
  await platform.close();
});

/** The member under its launcher; it is killed shortly after it has logged what it `endsAt`. */
function launch(endsAt = ''): NodeChild {
  const { brokers, registryUrl, topicPrefix = '' } = platform.config;
  const child = NodeChild.start({
    args: ['--max-old-space-size=96', launcher, program, topicPrefix, group, endsAt],
    env: {
      ANABRANCH_KAFKA_BROKERS: brokers.join(','),
      ANABRANCH_REGISTRY_URL: registryUrl,
      ANABRANCH_WATCHDOG_MS: '1000',
      ANABRANCH_PARENT_PIPE: '1',
    },
  });
  children.push(child);
  return child;
}

const documents = (child: NodeChild, msg: string): string[] =>
  child.lines.filter((line) => line['msg'] === msg).map((line) => String(line['documentId']));

const isSettled = async (): Promise<boolean> => platform.hasNoLag(group);

const deadLetterCount = async (): Promise<number> =>
  (await platform.admin.endOffsets('dead-letters')).reduce((sum, { high }) => sum + high, 0);

describe('a record whose handler takes the process down', () => {
  it.each([
    ['by process.abort', 'aborts'],
    ['by a loop without an end, which the watchdog ends', 'loops'],
    ['by filling the heap', 'hoards'],
  ])('%s, is dead-lettered; all others are handled, and the service stays up', async (_, word) => {
    const good = ['good-0', 'good-1', 'good-2'];
    await platform.publish('good-0', 'text');
    await platform.publish('good-1', 'text');
    await platform.publish('killer', word);
    await platform.publish('good-2', 'text');
    const child = launch();
    await eventually(isSettled, { timeoutMs: 150_000 });

    const [dead] = await readTopic(platform.config, 'dead-letters', 1);
    expect(await deadLetterCount()).toBe(1);
    expect(dead?.key?.toString()).toBe('killer');
    const sent = await readTopic(platform.config, 'document.ingested', 4);
    expect(dead?.value).toEqual(sent.find(({ key }) => key?.toString() === 'killer')?.value);
    expect(headerText(dead!, 'anabranch-failure-code')).toBe('PROCESS_KILLED');
    expect(headerText(dead!, 'anabranch-attempts')).toBe(String(maxExits));
    await child.line(
      ({ msg, documentId, code }) => msg === 'settled' && documentId === 'killer' && code === 'PROCESS_KILLED',
    );
    await eventually(() => new Set(documents(child, 'finished')).size >= good.length);
    expect(new Set(documents(child, 'finished'))).toEqual(new Set(good));
    const exits = child.lines.filter(({ msg }) => msg === ownExit).length;
    expect(exits).toBeLessThanOrEqual(Math.log2(4) + maxExits);

    await platform.publish('later', 'text');
    await child.line(({ msg, documentId }) => msg === 'finished' && documentId === 'later');
    expect(child.lines.filter(({ msg }) => msg === ownExit)).toHaveLength(exits);
  });
});

describe('kills from outside', () => {
  it('condemn nothing, one after the other in the middle of the work', async () => {
    const good = Array.from({ length: 40 }, (_, index) => `good-${index}`);
    for (const documentId of good) await platform.publish(documentId, 'text');
    const finished = await killAgainAndAgain(5, 'started');
    const last = launch();
    await eventually(isSettled, { timeoutMs: 60_000 });
    const handled = () => new Set([...finished, ...documents(last, 'finished')]);
    await eventually(() => handled().size >= good.length);
    expect(handled()).toEqual(new Set(good));
    expect(await deadLetterCount()).toBe(0);
  });

  it('condemn nothing and hide nothing, one after the other in the middle of the trial of suspects', async () => {
    for (let index = 0; index < 2; index++) await platform.publish(`good-${index}`, 'text');
    await platform.publish('killer', 'aborts later');
    for (let index = 2; index < 4; index++) await platform.publish(`good-${index}`, 'text');
    await killAgainAndAgain(3, 'a group of suspects is tried');
    launch();
    await eventually(isSettled, { timeoutMs: 150_000 });
    const dead = await readTopic(platform.config, 'dead-letters', 1);
    expect(await deadLetterCount()).toBe(1);
    expect(dead.map(({ key }) => key?.toString())).toEqual(['killer']);
  });

  /** As an orchestrator that starts a new container each time. Returns what was finished meanwhile. */
  async function killAgainAndAgain(times: number, when: string): Promise<string[]> {
    const finished: string[] = [];
    for (let kills = 0; kills < times; kills++) {
      const child = launch(when);
      await child.message(when);
      expect(await child.exit).toEqual({ code: 128 + constants.signals.SIGKILL, signal: null });
      finished.push(...documents(child, 'finished'));
    }
    return finished;
  }
});
