import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import { Platform } from '../harness/platform.js';
import { RealGroup } from './real-group.js';
import { commitsOf, startsOf, type RecordedEvent, type RecordedSchedule } from './recorded-schedule.js';
import { replay } from './replay.js';

/** Where the recording is to be kept, if it is. */
const { ANABRANCH_RECORDING: file } = process.env;

const slow = Array.from({ length: 6 }, (_, index) => `${800 + 150 * index}`);
const mixed = ['20', '20 later', '40 poison', '5', '300', '60', '10 later', '15'];

const isStart = (event: RecordedEvent) => 'out' in event && event.out === 'start';
const isAccepted = (event: RecordedEvent) => 'in' in event && event.in === 'answer' && event.isAccepted;

describe('a schedule on a real broker, with joins, a kill, a stop and slow handlers', () => {
  let platform: Platform;
  let group: RealGroup;

  beforeEach(async () => {
    platform = await Platform.start({ partitions: 3 });
    group = new RealGroup(platform);
  });
  afterEach(async () => {
    await group.end();
    await platform.close();
  });

  it('leads to the same commits and starts when it is replayed', async () => {
    const first = await group.join('first');
    await group.publish(...mixed, ...slow);
    await group.until(first, isStart, 3);
    const killed = await group.join('killed');
    await group.publish(...slow, ...mixed);
    await group.until(killed, isAccepted);
    await group.publish(...slow);
    await group.until(killed, isStart, 3);
    await group.kill(killed);
    await group.publish(...mixed);
    const last = await group.join('last');
    await group.publish(...slow, ...mixed);
    first.kill('SIGTERM');
    await first.exit;
    await group.publish(...mixed);
    await group.finish();
    await group.kill(last);

    const { recording: members } = group;
    expect(members.map(({ events }) => events.some(isAccepted))).toEqual([true, true, true]);
    for (const member of members) {
      const replayed = { events: await replay(member) };
      expect(commitsOf(replayed)).toEqual(commitsOf(member));
      expect(startsOf(replayed)).toEqual(startsOf(member));
    }
    if (file !== undefined) keep({ recordedOn: new Date().toISOString().slice(0, 10), members });
  }, 120_000);
});

function keep({ members, ...about }: RecordedSchedule): void {
  // One line per event: what a new recording changes can be read.
  const written = members.map(
    ({ events, ...member }) =>
      `{ ${JSON.stringify(member).slice(1, -1)}, "events": [\n${events.map((event) => JSON.stringify(event)).join(',\n')}\n] }`,
  );
  writeFileSync(file!, `{ ${JSON.stringify(about).slice(1, -1)}, "members": [\n${written.join(',\n')}\n] }\n`);
}
