import type { LoggerService } from '@nestjs/common';
import type { CustomTransportStrategy } from '@nestjs/microservices';
import { NestFactory } from '@nestjs/core';
import { StopService } from '@anabranch/failures';
import type { ServiceModule } from './service.js';

/** A service's Nest application in the host's terms. */
export interface Application {
  /** Starts to take work: listens on HTTP, joins the consumer group. */
  listen(): Promise<{ httpPort?: number }>;
  /** Takes no new work, and resolves when the work in flight is finished. */
  drain(): Promise<void>;
  /** Runs Nest's shutdown hooks. Everything was drained before, so `onModuleDestroy` may close what handlers need. */
  close(): Promise<void>;
}

/** Builds the application without starting it. Throws what Nest threw: it never aborts the process. */
export async function createApplication(service: ServiceModule, logger: LoggerService): Promise<Application> {
  const transports = (service.transports ?? []).map(closeOnce);
  if (service.http) {
    // Loaded here and not above: a service without an API must not pay for an HTTP framework.
    const { createHttpApplication } = await import('./http-application.js');
    return createHttpApplication(service.module, { http: service.http, transports, logger });
  }
  return createHeadlessApplication(service, transports, logger);
}

async function createHeadlessApplication(
  { module }: ServiceModule,
  transports: CustomTransportStrategy[],
  logger: LoggerService,
): Promise<Application> {
  const [strategy, ...more] = transports;
  if (more.length > 0) throw new StopService('a service without http has one transport: it is one consumer group');
  const options = { logger, abortOnError: false };
  if (!strategy) {
    const context = await NestFactory.createApplicationContext(module, options);
    return { listen: () => Promise.resolve({}), drain: () => Promise.resolve(), close: () => context.close() };
  }
  const app = await NestFactory.createMicroservice(module, { ...options, strategy });
  return {
    listen: async () => {
      await app.listen();
      return {};
    },
    drain: async () => {
      await strategy.close();
    },
    close: () => app.close(),
  };
}

/**
 * The host closes transports first, before any of Nest's hooks run (on a hybrid application Nest would run
 * `onModuleDestroy` while handlers still work). When Nest closes them again there is nothing left to wait for: either
 * the drain ended, or its time was over.
 */
function closeOnce(transport: CustomTransportStrategy): CustomTransportStrategy {
  const close = transport.close.bind(transport) as () => unknown;
  let isClosing = false;
  transport.close = () => {
    if (isClosing) return undefined;
    isClosing = true;
    return close();
  };
  return transport;
}
