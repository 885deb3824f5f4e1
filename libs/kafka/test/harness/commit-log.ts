import type { BrokerRecord, CommitPosition } from '../../src/broker-port.js';
import { createAdmin, type KafkaAdmin, type KafkaConfig } from '../../src/index.js';
import { groupState } from './group-state.js';
import { TopicReader } from './topic-reader.js';

const topic = '__consumer_offsets';

/** A commit as the broker has taken it. */
export interface TakenCommit extends Required<CommitPosition> {
  /** Milliseconds since the epoch, by the broker's clock: when the request was handled. */
  readonly at: number;
}

/** Every commit that the broker has taken, in its order, from the topic in which it keeps them. */
export class CommitLog {
  private constructor(
    private readonly reader: TopicReader,
    private readonly admin: KafkaAdmin,
  ) {}

  static async start(config: KafkaConfig): Promise<CommitLog> {
    // The broker makes the topic when it is first asked about a group.
    await groupState(config, 'nobody');
    return new CommitLog(await TopicReader.start(config, [topic]), createAdmin({ ...config, topicPrefix: '' }));
  }

  /** All commits of a group up to now, oldest first. */
  async of(group: string): Promise<TakenCommit[]> {
    await this.reader.reach(await this.admin.endOffsets(topic));
    return this.reader.records.map(readCommit).flatMap((commit) => (commit?.group === group ? [commit.position] : []));
  }

  async stop(): Promise<void> {
    await this.reader.stop();
    await this.admin.close();
  }
}

/** @see https://github.com/apache/kafka/tree/trunk/group-coordinator/src/main/resources/common/message OffsetCommitKey, OffsetCommitValue */
function readCommit({ key, value }: BrokerRecord): { group: string; position: TakenCommit } | undefined {
  // Other versions are what the broker knows of members; without a value it has forgotten a group.
  if (key === null || value === null || key.readInt16BE(0) > 1) return undefined;
  const names = new Fields(key, 2);
  const [group, committed] = [names.string(), names.string()];
  const version = value.readInt16BE(0);
  if (version < 3 || version > 4) throw new Error(`commits are kept in version ${version}, which is unknown`);
  const fields = new Fields(value, 2);
  const offset = Number(fields.int64());
  fields.int32(); // leader epoch
  const metadata = version === 3 ? fields.string() : fields.compactString();
  return {
    group,
    position: { topic: committed, partition: names.int32(), offset, metadata, at: Number(fields.int64()) },
  };
}

class Fields {
  constructor(
    private readonly bytes: Buffer,
    private at: number,
  ) {}

  int32(): number {
    this.at += 4;
    return this.bytes.readInt32BE(this.at - 4);
  }

  int64(): bigint {
    this.at += 8;
    return this.bytes.readBigInt64BE(this.at - 8);
  }

  string(): string {
    this.at += 2;
    return this.text(this.bytes.readInt16BE(this.at - 2));
  }

  /** As newer versions have it: one more than the length, seven bits a byte, lowest first. */
  compactString(): string {
    let [lengthAndOne, shift, byte] = [0, 0, 0x80];
    for (; byte >= 0x80; shift += 7) {
      byte = this.bytes.readUInt8(this.at++);
      lengthAndOne |= (byte & 0x7f) << shift;
    }
    return this.text(lengthAndOne - 1);
  }

  private text(length: number): string {
    this.at += length;
    return this.bytes.toString('utf8', this.at - length, this.at);
  }
}
