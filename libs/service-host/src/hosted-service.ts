import type { LoggerService } from '@nestjs/common';
import type { Registry } from 'prom-client';
import { createApplication, type Application } from './application.js';
import { attempt, Closers } from './closing.js';
import type { HealthChecks } from './health.js';
import { runAsService, type Logger } from './logging.js';
import type { Launch, ServiceContext, ServiceDefinition } from './service.js';

export interface HostedServiceOptions {
  definition: ServiceDefinition;
  config: Record<string, unknown>;
  instance: string;
  drainMs: number;
  launch: Launch | undefined;
  log: Logger;
  /** Nest's, which is one for the process. */
  nestLogger: LoggerService;
  metrics: Registry;
  health: HealthChecks;
  signal: AbortSignal;
  isRemoved(): boolean;
  fail(error: unknown): void;
}

/** One service in this process, from its creation to its end. */
export class HostedService {
  readonly name: string;
  private readonly closers: Closers;
  private application: Application | undefined;
  private state: 'starting' | 'started' | 'stopping' = 'starting';

  constructor(private readonly options: HostedServiceOptions) {
    this.name = options.definition.name;
    this.closers = new Closers(options.log);
    options.health.of(this.name).register('start', () => ({ ready: this.state === 'started', reason: this.state }));
  }

  /** Builds the module. May be stopped at any moment of it. */
  create(): Promise<void> {
    const { definition, log, nestLogger } = this.options;
    return runAsService(log, async () => {
      const module = await definition.create(this.context());
      this.application = await createApplication(module, nestLogger);
    });
  }

  /** Takes work from here on. */
  listen(): Promise<{ httpPort?: number }> {
    return runAsService(this.options.log, async () => {
      const ports = (await this.application?.listen()) ?? {};
      if (this.state === 'starting') this.state = 'started';
      return ports;
    });
  }

  /** Not ready, streams closed, intake stopped, work finished or given up after `drainMs`, all closed; false if a step failed. */
  stop(): Promise<boolean> {
    this.state = 'stopping';
    const { log } = this.options;
    return runAsService(log, async () => {
      const results = [
        await this.closers.run((order) => order < 0),
        await attempt(log, 'drain', () => this.drain()),
        await attempt(log, 'application', () => this.application?.close()),
        await this.closers.run((order) => order >= 0),
      ];
      return results.every(Boolean);
    });
  }

  private async drain(): Promise<void> {
    const { drainMs } = this.options;
    let timer: NodeJS.Timeout | undefined;
    const deadline = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`work in flight did not finish within ${drainMs} ms`)), drainMs);
    });
    try {
      await Promise.race([this.application?.drain(), deadline]);
    } finally {
      clearTimeout(timer);
    }
  }

  private context(): ServiceContext {
    const { config, instance, drainMs, launch, log, metrics, health, signal, isRemoved, fail } = this.options;
    return {
      name: this.name,
      config,
      instance,
      drainMs,
      launch,
      log,
      metrics,
      health: health.of(this.name),
      signal,
      isRemoved,
      onClose: (close, options) => this.closers.add(close, options),
      fail,
    };
  }
}
