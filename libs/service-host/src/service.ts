import type { CustomTransportStrategy } from '@nestjs/microservices';
import type { DynamicModule, Type } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyServerOptions } from 'fastify';
import type { Registry } from 'prom-client';
import type { z } from 'zod';
import type { HealthRegistration } from './health.js';
import type { Logger } from './logging.js';

/**
 * What a service is: a name, one schema of settings, and a function that builds its Nest module.
 * Settings are read from the environment: key `kafkaBrokers` from `ANABRANCH_KAFKA_BROKERS`. Say what each
 * is with `.describe('…')`, for messages and the reference, and mark secrets with `.meta({ secret: true })`.
 */
export interface ServiceDefinition<S extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly config: S;
  /** Throws `StopService` when the service cannot run; any error ends the process with a non-zero code. */
  create(context: ServiceContext<z.infer<S>>): Promise<ServiceModule>;
}

/** How this run of the process began. */
export interface Launch {
  /** A name that no other run has. */
  readonly run: string;
  /** There when the run before this one ended by its own fault: its name, the reason, and how long it lived. */
  readonly ownExit?: { readonly run: string; readonly reason: string; readonly ranMs: number } | undefined;
}

/** What the host gives to a service. Everything in it belongs to this service alone, in compact mode too. */
export interface ServiceContext<C = Record<string, unknown>> {
  readonly name: string;
  readonly config: C;
  /** Which of several processes of the same service this is: `ANABRANCH_INSTANCE`. */
  readonly instance: string;
  /** How long work in flight may take to finish after a stop was asked for. */
  readonly drainMs: number;
  /** For the consumer, which finds a record that ends its process. Undefined when nothing launched this process. */
  readonly launch?: Launch | undefined;
  readonly log: Logger;
  /** Metrics registered here carry the label `service`. */
  readonly metrics: Registry;
  readonly health: HealthRegistration;
  /** Aborted as soon as the process is asked to stop. */
  readonly signal: AbortSignal;
  /** Whether it was said (SIGUSR2) that the process will not come back after its stop: then it keeps no seat anywhere. */
  isRemoved(): boolean;
  /** Closes something at the end: see {@link closeOrder}. Lower orders first; equal ones newest first. */
  onClose(close: () => void | Promise<void>, options?: { order?: number; name?: string }): void;
  /** The process cannot go on: it drains without taking new work and exits non-zero, with this error in the log. */
  fail(error: unknown): void;
}

/** What a service is made of. `transports` and `http` are started by the host after the module was built. */
export interface ServiceModule {
  module: DynamicModule | Type;
  /** At most one without `http`: a service is one consumer group. */
  transports?: CustomTransportStrategy[];
  http?: HttpOptions;
}

/** An HTTP API. Fastify is loaded only for services that have one. */
export interface HttpOptions {
  host: string;
  /** 0 = any free port; the real one is in the `ready` line and file. */
  port: number;
  /** Fastify's own options, for example `bodyLimit`. */
  options?: FastifyServerOptions;
  /** Called before the application initialises: body parsers, pipes, OpenAPI. */
  configure?(app: NestFastifyApplication): void | Promise<void>;
}

/**
 * When something closes, relative to the drain: negative orders run before it, the others after it.
 * `streams`: what would hold the drain up for ever (SSE, WebSocket). `relays`: what still publishes what the drained
 * work wrote. `producers`: what those publish with. `stores`: what everything else reads and writes.
 */
export const closeOrder = { streams: -10, relays: 10, producers: 20, stores: 30 } as const;

/** Checks a definition's types; returns it unchanged. */
export function defineService<S extends z.ZodObject>(definition: ServiceDefinition<S>): ServiceDefinition<S> {
  return definition;
}
