import { fileURLToPath } from 'node:url';
import { NodeChild, type LogLine } from '@anabranch/test-support';
import type { KafkaConfig } from '../../src/index.js';

const preload = fileURLToPath(new URL('../fixtures/from-source.mjs', import.meta.url));
const program = fileURLToPath(new URL('../fixtures/member.ts', import.meta.url));

/** A member of a group in a process of its own: see fixtures/member.ts. */
export class MemberProcess {
  private constructor(readonly child: NodeChild) {}

  static async join(config: KafkaConfig, group: string): Promise<MemberProcess> {
    const args = ['--conditions=@anabranch/source', '--import', preload, program, JSON.stringify({ config, group })];
    const member = new MemberProcess(NodeChild.start({ args }));
    await member.child.message('joined');
    return member;
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
