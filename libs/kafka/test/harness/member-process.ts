import { fileURLToPath } from 'node:url';
import { NodeChild, type LogLine } from '@anabranch/test-support';
import type { ConsumerSettings, KafkaConfig } from '../../src/index.js';

const preload = fileURLToPath(new URL('../fixtures/from-source.mjs', import.meta.url));
const program = fileURLToPath(new URL('../fixtures/member.ts', import.meta.url));

/** A member of a group in a process of its own: see fixtures/member.ts. */
export class MemberProcess {
  private constructor(readonly child: NodeChild) {}

  static async join(
    config: KafkaConfig,
    group: string,
    settings: Partial<ConsumerSettings> = {},
  ): Promise<MemberProcess> {
    const member = this.spawn(config, group, settings);
    await member.child.message('joined');
    return member;
  }

  /** Starts the process without waiting until it is a member. */
  static spawn(config: KafkaConfig, group: string, settings: Partial<ConsumerSettings> = {}): MemberProcess {
    const given = JSON.stringify({ config, group, settings });
    const args = ['--conditions=@anabranch/source', '--import', preload, program, given];
    return new MemberProcess(NodeChild.start({ args }));
  }

  /** How often it was assigned partitions: once per rebalance that it took part in. */
  get assignments(): string[][] {
    return this.child.lines
      .filter((line) => line['msg'] === 'partitions were assigned')
      .map((line) => line['partitions'] as string[]);
  }

  /** The documents of which it said so, in order. */
  documents(msg: 'started' | 'finished'): string[] {
    return this.child.lines.filter((line) => line['msg'] === msg).map((line) => String(line['documentId']));
  }

  async says(msg: string, documentId: string): Promise<LogLine> {
    return this.child.line((line) => line['msg'] === msg && line['documentId'] === documentId);
  }

  release(): void {
    this.child.process.stdin.write('release\n');
  }

  /** Ends the process; as with `kill -9` unless it may stop by itself. */
  async end(signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'): Promise<void> {
    this.child.kill(signal);
    await this.child.exit;
  }
}
