import type { Socket } from 'node:net';
import { TcpProxy } from '@anabranch/test-support';

/** The requests that specs tell apart. @see https://kafka.apache.org/protocol#protocol_api_keys */
export const kafkaApis = {
  produce: 0,
  metadata: 3,
  offsetFetch: 9,
  findCoordinator: 10,
  joinGroup: 11,
  heartbeat: 12,
  syncGroup: 14,
} as const;

/** A request that the broker has answered. */
export interface KafkaExchange {
  readonly apiKey: number;
  readonly apiVersion: number;
  /** Whole frames, from their length on. The answer may be changed in place. */
  readonly request: Buffer;
  readonly answer: Buffer;
}

/** What becomes of an answer: it comes; it is lost with its connection; or nothing comes, and the connection stays. */
export type AnswerFate = 'comes' | 'is cut off' | 'never comes';

/** The first version whose answers are encoded in another way; kafkajs asks for none of these. */
const flexibleFrom = { [kafkaApis.metadata]: 9, [kafkaApis.findCoordinator]: 3 };

/**
 * Stands before a broker: clients that begin here stay here, because the broker's address is replaced in what it says about
 * the cluster. What it has done can so remain unknown to them.
 */
export class KafkaProxy {
  private constructor(private readonly proxy: TcpProxy) {}

  /**
   * @param target `host:port` of a cluster of one broker
   * @param judge decides about every answer
   */
  static async start(target: string, judge: (exchange: KafkaExchange) => AnswerFate = () => 'comes') {
    const relay = (client: Socket, broker: Socket): void => {
      const pending = new Map<number, Omit<KafkaExchange, 'answer'>>();
      onFrames(client, (request) => {
        const [apiKey, apiVersion] = [request.readInt16BE(4), request.readInt16BE(6)];
        pending.set(request.readInt32BE(8), { apiKey, apiVersion, request });
        broker.write(request);
      });
      onFrames(broker, (answer) => {
        const correlationId = answer.readInt32BE(4);
        const asked = pending.get(correlationId);
        pending.delete(correlationId);
        const exchange = asked && { ...asked, answer };
        if (exchange !== undefined) redirect(exchange, portOf(target), portOf(proxy.address));
        const fate = exchange === undefined ? 'comes' : judge(exchange);
        if (fate === 'comes') client.write(answer);
        else if (fate === 'is cut off') client.destroy();
      });
    };
    const proxy = await TcpProxy.start(target, relay);
    return new KafkaProxy(proxy);
  }

  /** `host:port`, to be given to clients. */
  get address(): string {
    return this.proxy.address;
  }

  set isDown(down: boolean) {
    this.proxy.isDown = down;
  }

  /** Cuts what is connected now. */
  cutAll(): void {
    this.proxy.cutAll();
  }

  async close(): Promise<void> {
    await this.proxy.close();
  }
}

/** Calls back for each frame: four bytes of length, then so many. */
function onFrames(socket: Socket, onFrame: (frame: Buffer) => void): void {
  let bytes: Buffer = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    bytes = bytes.length === 0 ? chunk : Buffer.concat([bytes, chunk]);
    while (bytes.length >= 4 && bytes.length >= 4 + bytes.readInt32BE(0)) {
      const end = 4 + bytes.readInt32BE(0);
      onFrame(bytes.subarray(0, end));
      bytes = bytes.subarray(end);
    }
  });
}

/** Replaces the broker's port where an answer names it. */
function redirect({ apiKey, apiVersion, answer }: KafkaExchange, from: number, to: number): void {
  if (apiKey !== kafkaApis.metadata && apiKey !== kafkaApis.findCoordinator) return;
  if (apiVersion >= flexibleFrom[apiKey]) throw new Error(`version ${apiVersion} of the request ${apiKey} is unknown`);
  const reader = new Reader(answer);
  const places = apiKey === kafkaApis.metadata ? brokersOf(reader, apiVersion) : [coordinatorOf(reader, apiVersion)];
  for (const place of places) {
    if (answer.readInt32BE(place) === from) answer.writeInt32BE(to, place);
  }
}

/** Where the ports of a metadata answer are. The reader is behind the brokers afterwards. */
function brokersOf(reader: Reader, version: number): number[] {
  if (version >= 3) reader.skip(4); // throttle time
  return Array.from({ length: reader.int32() }, () => {
    const place = brokerAt(reader);
    if (version >= 1) reader.string(); // rack
    return place;
  });
}

function coordinatorOf(reader: Reader, version: number): number {
  if (version >= 1) reader.skip(4); // throttle time
  reader.skip(2); // error
  if (version >= 1) reader.string(); // its message
  return brokerAt(reader);
}

function brokerAt(reader: Reader): number {
  reader.skip(4); // node id
  reader.string(); // host
  const place = reader.at;
  reader.skip(4);
  return place;
}

/** Reads an answer from behind its length and correlation id. */
class Reader {
  at = 8;

  constructor(private readonly bytes: Buffer) {}

  skip(count: number): void {
    this.at += count;
  }

  int32(): number {
    this.skip(4);
    return this.bytes.readInt32BE(this.at - 4);
  }

  string(): void {
    this.skip(2 + Math.max(0, this.bytes.readInt16BE(this.at)));
  }
}

function portOf(address: string): number {
  return Number(address.split(':')[1]);
}
