import { fileURLToPath } from 'node:url';
import { eventually, NodeChild } from '@anabranch/test-support';
import { topicNameOf } from '../../src/kafka-config.js';
import type { Platform } from '../harness/platform.js';
import type { RecordedEvent, RecordedMember } from './recorded-schedule.js';

const preload = fileURLToPath(new URL('../fixtures/from-source.mjs', import.meta.url));
const program = fileURLToPath(new URL('./recorded-member.ts', import.meta.url));
const topic = 'document.ingested';

interface RunningMember {
  readonly name: string;
  readonly seed: number;
  readonly child: NodeChild;
}

/** A group on a real broker, each member of which is recorded. */
export class RealGroup {
  private readonly members: RunningMember[] = [];
  private readonly group: string;
  private published = 0;

  constructor(private readonly platform: Platform) {
    this.group = platform.uniqueGroup();
  }

  /** A process that is a member when this resolves. */
  async join(name: string): Promise<NodeChild> {
    const { config } = this.platform;
    const seed = this.members.length + 1;
    const given = JSON.stringify({ config, topic: topicNameOf(config, topic), group: this.group, seed });
    const args = ['--conditions=@anabranch/source', '--import', preload, program, given];
    const child = NodeChild.start({ args });
    this.members.push({ name, seed, child });
    await child.message('joined');
    return child;
  }

  /** Publishes records of a few keys that take so long, and end so. */
  async publish(...values: readonly string[]): Promise<void> {
    for (const value of values) {
      const key = Buffer.from(`key-${this.published++ % 19}`);
      await this.platform.producer.publishRaw(topic, { key, value: Buffer.from(value), headers: [] });
    }
  }

  /** Ends a member as `kill -9` does, but not between something that happens to it and what it does about that. */
  async kill(child: NodeChild): Promise<void> {
    child.process.stdin.write('die\n');
    await child.exit;
  }

  /** Waits until the group has committed all that was published. */
  async finish(): Promise<void> {
    await eventually(async () => {
      const ends = await this.platform.admin.endOffsets(topic);
      const committed = await this.platform.committed(this.group);
      return ends.every(({ partition, high }) => high === 0 || committed.get(partition) === high);
    });
  }

  /** Waits until so many of these have happened to a member. */
  async until(child: NodeChild, matches: (event: RecordedEvent) => boolean, count = 1): Promise<void> {
    await eventually(() => eventsOf(child).filter(matches).length >= count);
  }

  get recording(): RecordedMember[] {
    return this.members.map(({ name, seed, child }) => ({ name, seed, events: eventsOf(child) }));
  }

  async end(): Promise<void> {
    for (const { child } of this.members) child.kill('SIGKILL');
    await Promise.all(this.members.map(({ child }) => child.exit));
  }
}

function eventsOf(child: NodeChild): RecordedEvent[] {
  return child.lines.flatMap(({ event }) => (event === undefined ? [] : [event as RecordedEvent]));
}
