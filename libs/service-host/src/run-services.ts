import { flushCompileCache } from 'node:module';
import { readConfiguration, type Configuration } from './configuration.js';
import { HealthChecks } from './health.js';
import { startDrill } from './fail-point-drill.js';
import { startHealthServer, type HealthServer } from './health-server.js';
import { HostedService } from './hosted-service.js';
import { memoryLimitOf } from './host-settings.js';
import { ownFaultExitCode } from './launches.js';
import { watchLiveness } from './liveness-watch.js';
import { createLogger, type Logger } from './logging.js';
import { createProcessMetrics, createServiceMetrics } from './metrics.js';
import { createNestLogger } from './nest-logger.js';
import { watchProcess } from './process-events.js';
import { removeReadyFile, writeReadyFile } from './ready-file.js';
import type { ServiceDefinition } from './service.js';
import { faultReport } from './settings.js';
import { startWatchdog } from './watchdog.js';

/** EX_CONFIG of sysexits.h: a restart will not help. */
const configurationExitCode = 78;
/** Beyond the drain itself: for closing connections and stores. */
const closingGraceMs = 5_000;

/**
 * Runs one or several services in this process until it is told to stop: SIGTERM or SIGINT, or a launcher that is gone.
 * Exit codes: 0 stopped in order, 78 wrong settings (all named on standard error), 70 ended by its own fault (an error
 * that nobody caught, or somebody called `process.exit`), 1 gave up in order.
 * @returns when all are ready
 */
export async function runServices(
  definitions: readonly ServiceDefinition[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<void> {
  const names = definitions.map(({ name }) => name);
  const { configuration, faults } = readConfiguration(definitions, env);
  if (!configuration) {
    // Not a log line: how to log is one of the settings.
    process.stderr.write(faultReport(`anabranch ${names.join(', ')}`, faults));
    process.exit(configurationExitCode);
  }
  await new Host(definitions, configuration).run();
}

/** The process's life: start, be ready, stop. */
class Host {
  private readonly log: Logger;
  private readonly label: string;
  private readonly health = new HealthChecks();
  private readonly stopping = new AbortController();
  private readonly services: HostedService[];
  private readonly startHealth: () => Promise<HealthServer>;
  private healthServer: HealthServer | undefined;
  private exitCode = 0;
  /** Whether the process ends because this host wants it. */
  private isEnding = false;
  private isRemoved = false;

  constructor(
    definitions: readonly ServiceDefinition[],
    private readonly configuration: Configuration,
  ) {
    const { host, secrets } = configuration;
    const names = definitions.map(({ name }) => name);
    const label = names.length === 1 ? String(names[0]) : 'compact';
    const root = createLogger({ level: host.logLevel, secrets });
    this.log = root.child({ service: label });
    this.label = label;
    const registries = names.map(createServiceMetrics);
    const nestLogger = createNestLogger(this.log);
    this.services = definitions.map((definition, index) => {
      const metrics = registries[index] ?? createServiceMetrics(definition.name);
      const config = configuration.services[index] ?? {};
      const log = root.child({ service: definition.name });
      const { signal } = this.stopping;
      const fail = (error: unknown) => this.fail(error, log);
      const isRemoved = () => this.isRemoved;
      const own = { definition, config, log, nestLogger, metrics, health: this.health, signal, isRemoved, fail };
      return new HostedService({ ...own, instance: host.instance, drainMs: host.drainMs, launch: host.launch });
    });
    const served = { host: host.healthHost, port: host.healthPort, services: names };
    const all = [createProcessMetrics(label, host.launch?.ownExits ?? 0), ...registries];
    this.startHealth = () =>
      startHealthServer({
        ...served,
        registries: all,
        readinessFaults: () => this.health.readinessFaults(),
        livenessFaults: () => this.health.livenessFaults(),
      });
  }

  async run(): Promise<void> {
    watchProcess(
      {
        onStop: (reason) => void this.stop(reason),
        onRemoval: () => this.markRemoved(),
        onImpatience: (reason) => this.exitNow(`${reason} again: stopping at once`),
        onCrash: (error) => this.crash(error),
        onWarning: ({ name, message }) => this.log.warn({ warning: name }, message),
      },
      this.configuration.host,
    );
    const { host } = this.configuration;
    process.once('exit', () => this.onExit());
    this.startDrill();
    startWatchdog({ blockedMs: host.watchdogMs, memoryLimitBytes: memoryLimitOf(host), service: this.label });
    if (host.launch?.isRemoved) this.markRemoved();
    try {
      await this.start();
    } catch (error) {
      // What was being started when a stop came may fail because of it.
      if (!this.stopping.signal.aborted) this.fail(error, this.log);
    }
  }

  private startDrill(): void {
    const { failPointDir: folder } = this.configuration.host;
    if (folder === undefined) return;
    this.log.warn({ folder }, 'a drill: the process kills itself at fail points that are named in this folder');
    startDrill({ folder, services: this.services.map(({ name }) => name) });
  }

  private async start(): Promise<void> {
    this.healthServer = await this.startHealth();
    watchLiveness(
      () => this.health.livenessFaults(),
      (error) => this.fail(error, this.log),
    );
    // One after another: Nest's logger and factory are one per process.
    for (const service of this.services) {
      if (this.stopping.signal.aborted) return;
      await service.create();
    }
    if (this.stopping.signal.aborted) return;
    const ports = await Promise.all(this.services.map((service) => service.listen()));
    if (!this.stopping.signal.aborted) this.reportReady(ports.find(({ httpPort }) => httpPort !== undefined)?.httpPort);
  }

  private reportReady(httpPort: number | undefined): void {
    const { host } = this.configuration;
    const report = {
      pid: process.pid,
      services: this.services.map(({ name }) => name),
      healthPort: this.healthServer?.port ?? host.healthPort,
      ...(httpPort !== undefined && { httpPort }),
    };
    if (host.readyFile) {
      const { readyFile } = host;
      writeReadyFile(readyFile, report);
      process.once('exit', () => removeReadyFile(readyFile));
    }
    this.log.info(report, 'ready');
    // Where NODE_COMPILE_CACHE names a folder. Now, since a process that is killed writes nothing when it ends.
    flushCompileCache();
  }

  private fail(error: unknown, log: Logger): void {
    log.fatal({ err: error }, 'the service cannot go on');
    this.exitCode = 1;
    void this.stop('a service failed');
  }

  private markRemoved(): void {
    this.isRemoved = true;
    this.log.info('will not come back after its next stop: it gives its places in consumer groups up then');
  }

  /** Stops in order, once; whatever is still starting is left behind by the exit. */
  private async stop(reason: string): Promise<void> {
    if (this.stopping.signal.aborted) return;
    const { readyFile, drainMs } = this.configuration.host;
    this.log.info({ reason }, 'stopping');
    this.stopping.abort(new Error(`stopping: ${reason}`));
    if (readyFile) removeReadyFile(readyFile);
    setTimeout(() => this.exitNow('closing took too long: stopping at once'), drainMs + closingGraceMs);
    const closed = await Promise.all(this.services.map((service) => service.stop()));
    await this.healthServer?.close();
    const code = closed.every(Boolean) ? this.exitCode : 1;
    this.log.info({ exitCode: code }, 'stopped');
    this.exit(code);
  }

  private exitNow(message: string): never {
    this.log.error(message);
    this.exit(1);
  }

  private crash(error: unknown): never {
    this.log.fatal({ err: error }, 'an error that nobody caught: the process ends');
    this.exit(ownFaultExitCode);
  }

  private exit(code: number): never {
    this.isEnding = true;
    process.exit(code);
  }

  /** A handler that calls `process.exit`, or leaves nothing to wait for, has ended the process as one that throws does. */
  private onExit(): void {
    if (this.isEnding) return;
    this.log.fatal('somebody ended the process from within');
    process.exitCode = ownFaultExitCode;
  }
}
