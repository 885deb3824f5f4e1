import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { commitsOf, startsOf, type RecordedSchedule } from './recorded-schedule.js';
import { replay } from './replay.js';

const file = new URL('./recorded-schedule.json', import.meta.url);
const { members } = JSON.parse(readFileSync(file, 'utf8')) as RecordedSchedule;

// When the runtime does other things on purpose, record anew: see README.md.
describe('a schedule that was recorded on a real broker', () => {
  it.each(members.map((member) => [member.name, member] as const))(
    'leads to the same commits, offsets and metadata, in the runtime of the %s member',
    async (_, member) => {
      const replayed = { events: await replay(member) };
      expect(commitsOf(replayed)).toEqual(commitsOf(member));
      expect(startsOf(replayed)).toEqual(startsOf(member));
      expect(Object.values(commitsOf(member)).flat().length).toBeGreaterThan(0);
    },
  );

  it('has members that go on where another one has committed', () => {
    const accepted = new Set(members.flatMap((member) => acceptedOf(member)));
    const found = members.flatMap(({ events }) =>
      events.flatMap((event) => ('in' in event && event.in === 'positions' ? event.positions : [])),
    );
    const carried = found.filter(([, , , metadata]) => metadata !== '');
    expect(carried.length).toBeGreaterThan(0);
    const unknown = found.filter(([partition, offset, committed, metadata]) => {
      return committed !== null && !accepted.has(JSON.stringify([partition, offset, metadata]));
    });
    expect(unknown).toEqual([]);
  });
});

/** What the broker took, or may have taken when the answer was lost with the process. */
function acceptedOf({ events }: RecordedSchedule['members'][number]): string[] {
  const commits = events.flatMap((event) => ('out' in event && event.out === 'commit' ? [event.positions] : []));
  const refused = new Set(
    events.flatMap((event) => ('in' in event && event.in === 'answer' && !event.isAccepted ? [event.commit] : [])),
  );
  return commits.flatMap((positions, index) =>
    refused.has(index + 1) ? [] : positions.map((position) => JSON.stringify(position)),
  );
}
