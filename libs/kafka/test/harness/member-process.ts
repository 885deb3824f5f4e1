import { fileURLToPath } from 'node:url';
import { NodeChild, type LogLine } from '@anabranch/test-support';
import type { ConsumerSettings, KafkaConfig } from '../../src/index.js';
import type { MemberOptions } from '../fixtures/member.js';

const preload = fileURLToPath(new URL('../fixtures/from-source.mjs', import.meta.url));
const program = fileURLToPath(new URL('../fixtures/member.ts', import.meta.url));

/** A member of a group in a process of its own: see fixtures/member.ts. */
export class MemberProcess {
  private reports = 0;

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
    return this.start({ config, group, settings });
  }

  /** Starts the process without waiting until it is a member. */
  static start(options: MemberOptions): MemberProcess {
    const args = ['--conditions=@anabranch/source', '--import', preload, program, JSON.stringify(options)];
    return new MemberProcess(NodeChild.start({ args }));
  }

  /** How often it was assigned partitions: once per rebalance that it took part in. */
  get assignments(): string[][] {
    return this.lines('partitions were assigned').map((line) => line['partitions'] as string[]);
  }

  /** The lines that it has written with this message, in order. */
  lines(msg: string): LogLine[] {
    return this.child.lines.filter((line) => line['msg'] === msg);
  }

  /** The documents of which it said so, in order. */
  documents(msg: 'started' | 'finished' | 'settled' | 'deferred'): string[] {
    return this.lines(msg).map((line) => String(line['documentId']));
  }

  async says(msg: string, documentId: string): Promise<LogLine> {
    return this.child.line((line) => line['msg'] === msg && line['documentId'] === documentId);
  }

  /** Its health, memory and metrics at this moment. */
  async report(): Promise<LogLine> {
    const number = ++this.reports;
    this.child.process.stdin.write(`report ${number}\n`);
    return this.child.line((line) => line['msg'] === 'report' && line['number'] === number);
  }

  /** Resolves when all that it had said before was read: what it writes waits in a pipe, as long as this process is busy. */
  async heard(): Promise<void> {
    await this.report();
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
