import type { DynamicModule, LoggerService, Type } from '@nestjs/common';
import type { CustomTransportStrategy } from '@nestjs/microservices';
import type { AddressInfo } from 'node:net';
import type { Server } from 'node:http';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Application } from './application.js';
import { explainListen } from './listening.js';
import type { HttpOptions } from './service.js';

export interface HttpApplicationOptions {
  http: HttpOptions;
  transports: readonly CustomTransportStrategy[];
  logger: LoggerService;
}

/** An application with an HTTP API, and transports beside it when there are any. */
export async function createHttpApplication(
  module: DynamicModule | Type,
  { http, transports, logger }: HttpApplicationOptions,
): Promise<Application> {
  const adapter = new FastifyAdapter(http.options ?? {});
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, { logger, abortOnError: false });
  for (const strategy of transports) app.connectMicroservice({ strategy }, { inheritAppConfig: true });
  await http.configure?.(app);
  return {
    listen: async () => {
      await app.startAllMicroservices();
      try {
        await app.listen(http.port, http.host);
      } catch (error) {
        throw explainListen(error, 'set the port of the HTTP API to another one');
      }
      return { httpPort: (httpServer(app).address() as AddressInfo).port };
    },
    drain: async () => {
      await Promise.all([stopServer(httpServer(app)), ...transports.map((transport) => transport.close() as unknown)]);
    },
    close: async () => {
      // What is still open did not finish within the drain's time.
      httpServer(app).closeAllConnections();
      await app.close();
    },
  };
}

function httpServer(app: NestFastifyApplication): Server {
  return app.getHttpServer() as Server;
}

const idleSweepMs = 20;

/** Refuses new connections and resolves when the last request was answered. */
function stopServer(server: Server): Promise<void> {
  if (!server.listening) return Promise.resolve();
  return new Promise((resolve) => {
    // A kept-alive connection that was busy at `close` becomes idle later, and Node does not close it then.
    const sweep = setInterval(() => server.closeIdleConnections(), idleSweepMs);
    server.close(() => {
      clearInterval(sweep);
      resolve();
    });
  });
}
