import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** Joins an accepted connection with its own to the target. */
export type Relay = (client: Socket, target: Socket) => void;

/** Stands before a server of any kind, counts the connections, and can be down. */
export class TcpProxy {
  /** How many connections were asked for, also while it was down. */
  connections = 0;
  private readonly sockets = new Set<Socket>();
  private down = false;

  private constructor(
    private readonly server: Server,
    /** `host:port`, in place of the target's. */
    readonly address: string,
  ) {}

  /** @param target `host:port` */
  static async start(target: string, relay: Relay = pass): Promise<TcpProxy> {
    const [host = '', port = ''] = target.split(':');
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const proxy = new TcpProxy(server, `127.0.0.1:${(server.address() as AddressInfo).port}`);
    server.on('connection', (client) => proxy.accept(client, () => connect(Number(port), host), relay));
    return proxy;
  }

  /** While it is down, connections are cut, and new ones end at once. */
  set isDown(down: boolean) {
    this.down = down;
    if (down) this.cutAll();
  }

  /** Cuts what is connected now. */
  cutAll(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  async close(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    this.isDown = true;
    await closed;
  }

  private accept(client: Socket, reach: () => Socket, relay: Relay): void {
    this.connections++;
    if (this.down) return void client.destroy();
    const target = reach();
    for (const [socket, other] of [
      [client, target],
      [target, client],
    ] as const) {
      this.sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => {
        this.sockets.delete(socket);
        other.destroy();
      });
    }
    relay(client, target);
  }
}

function pass(client: Socket, target: Socket): void {
  client.pipe(target);
  target.pipe(client);
}
