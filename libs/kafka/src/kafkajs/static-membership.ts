import { createRequire } from 'node:module';
import { GroupMember } from './group-member.js';

// Static membership (KIP-345): a member that comes back under its instance id gets its partitions back without a rebalance.
// kafkajs has no option for it, but its encoders take the id. It has to be in *every* request below: with any left out,
// two processes with one id take the seat from each other for ever.

const require = createRequire(import.meta.url);

interface Encoded {
  readonly buffer: Buffer;
}
interface Encoder extends Encoded {
  writeString(value: string | null): this;
  writeInt32(value: number): this;
  writeInt64(value: unknown): this;
  writeArray(values: readonly Encoder[]): this;
}
interface ProtocolMessage {
  readonly request: { encode(): Promise<Encoded> };
  readonly response: { parse(data: unknown): Promise<unknown> };
}
interface GroupRequest {
  readonly groupId: string;
  readonly groupInstanceId?: string | null;
}
interface RequestDefinitions {
  versions: string[];
  protocol(choice: { version: number }): (request: GroupRequest) => ProtocolMessage;
}
interface OffsetCommitRequest extends GroupRequest {
  readonly groupGenerationId: number;
  readonly memberId: string;
  readonly topics: readonly {
    readonly topic: string;
    readonly partitions: readonly { partition: number; offset: unknown; metadata?: string | null }[];
  }[];
}
interface ConsumerGroup {
  groupId: string;
  memberId: string | null;
  leave(): Promise<void>;
}

/** The versions that carry an instance id; brokers have all of them since Kafka 2.3. */
const carryingVersions = { JoinGroup: 5, SyncGroup: 3, Heartbeat: 3, LeaveGroup: 3, OffsetCommit: 7 } as const;
type GroupApi = keyof typeof carryingVersions;

const lastBuiltInOffsetCommit = 5;

function definitionsOf(api: GroupApi): RequestDefinitions {
  const { requests } = require('kafkajs/src/protocol/requests') as { requests: Record<string, RequestDefinitions> };
  const found = requests[api];
  if (found === undefined) throw new Error(`kafkajs has no request ${api}.`);
  return found;
}

/** Lets the requests of static members carry their id, and keeps the seat of one that stops to come back. */
export function installStaticMembership(): void {
  addOffsetCommit7(definitionsOf('OffsetCommit'));
  for (const api of Object.keys(carryingVersions) as GroupApi[]) carryInstanceId(api);
  keepSeat(require('kafkajs/src/consumer/consumerGroup') as { readonly prototype: ConsumerGroup });
}

/** Why kafkajs cannot be trusted to send the id; undefined when each request was seen to have it in its bytes. */
export async function staticMembershipFault(): Promise<string | undefined> {
  const instanceId = 'instance-id-to-find-again';
  const sample = {
    groupId: 'group',
    groupInstanceId: instanceId,
    memberId: 'member',
    groupGenerationId: 1,
    generationId: 1,
    sessionTimeout: 1,
    rebalanceTimeout: 1,
    protocolType: 'consumer',
    groupProtocols: [],
    groupAssignment: [],
    topics: [],
  };
  for (const [api, version] of Object.entries(carryingVersions)) {
    try {
      const message = definitionsOf(api as GroupApi).protocol({ version })(sample);
      const { buffer } = await message.request.encode();
      if (!buffer.includes(instanceId)) return `${api} version ${version} does not carry the instance id`;
    } catch (error) {
      return `${api} version ${version} cannot be made: ${String(error)}`;
    }
  }
  return undefined;
}

/** Version 7 is version 5 with an instance id, and a leader epoch per partition, which we leave open. */
function addOffsetCommit7(definitions: RequestDefinitions): void {
  const original = definitions.protocol;
  definitions.versions = [...definitions.versions, '6', '7'];
  definitions.protocol = ({ version }) => {
    const builtIn = original({ version: Math.min(version, lastBuiltInOffsetCommit) });
    if (version < 7) return builtIn;
    return (request) => {
      const message = builtIn(request);
      const encode = () => Promise.resolve(encodeOffsetCommit7(request as OffsetCommitRequest));
      return { ...message, request: { ...message.request, apiVersion: 7, encode } };
    };
  };
}

function encodeOffsetCommit7(request: OffsetCommitRequest): Encoder {
  const EncoderClass = require('kafkajs/src/protocol/encoder') as new () => Encoder;
  const noLeaderEpoch = -1;
  return new EncoderClass()
    .writeString(request.groupId)
    .writeInt32(request.groupGenerationId)
    .writeString(request.memberId)
    .writeString(request.groupInstanceId ?? null)
    .writeArray(
      request.topics.map(({ topic, partitions }) =>
        new EncoderClass().writeString(topic).writeArray(
          partitions.map(({ partition, offset, metadata }) =>
            new EncoderClass()
              .writeInt32(partition)
              .writeInt64(offset)
              .writeInt32(noLeaderEpoch)
              .writeString(metadata ?? null),
          ),
        ),
      ),
    );
}

function carryInstanceId(api: GroupApi): void {
  const definitions = definitionsOf(api);
  const original = definitions.protocol;
  definitions.protocol = ({ version }) => {
    const create = original({ version });
    return (request) => {
      const member = GroupMember.current(request.groupId);
      if (member?.instanceId === undefined) return create(request);
      if (version < carryingVersions[api]) member.fallBack(`the broker takes ${api} only up to version ${version}`);
      return watchFence(create({ ...request, groupInstanceId: member.instanceId ?? null }), member);
    };
  };
}

function watchFence(message: ProtocolMessage, member: GroupMember): ProtocolMessage {
  const parse = async (data: unknown) => {
    try {
      return await message.response.parse(data);
    } catch (error) {
      if ((error as { type?: string }).type === 'FENCED_INSTANCE_ID') member.fence();
      throw error;
    }
  };
  return { ...message, response: { ...message.response, parse } };
}

/** A static member that leaves would cost two rebalances when it is restarted: one now, one when it is back. */
function keepSeat({ prototype }: { readonly prototype: ConsumerGroup }): void {
  const original = prototype.leave;
  prototype.leave = async function (this: ConsumerGroup) {
    const member = GroupMember.current(this.groupId);
    const keepsSeat = member?.instanceId !== undefined && !member.isRemoved;
    if (keepsSeat) this.memberId = null;
    else await original.call(this);
  };
}
