import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Stands before the real registry, counts what is asked, and can be down. */
export class RegistryProxy {
  isDown = false;
  readonly asked: string[] = [];

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(target: string): Promise<RegistryProxy> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { pathname } = new URL(target);
    const proxy = new RegistryProxy(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}${pathname}`);
    server.on('request', (request, response) => void proxy.forward(request, response, new URL(target).origin));
    return proxy;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async forward(request: IncomingMessage, response: ServerResponse, origin: string): Promise<void> {
    this.asked.push(`${request.method} ${request.url}`);
    if (this.isDown) return void request.socket.destroy();
    const chunks = await request.toArray();
    const answer = await fetch(`${origin}${request.url}`, {
      method: request.method ?? 'GET',
      headers: { 'content-type': request.headers['content-type'] ?? '' },
      body: chunks.length > 0 ? Buffer.concat(chunks) : null,
    });
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
    response.end(Buffer.from(await answer.arrayBuffer()));
  }
}
