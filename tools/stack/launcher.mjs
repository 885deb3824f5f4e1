// `npm start`: brings everything up, keeps it up, and takes it down in order.
import { mkdirSync } from 'node:fs';
import { openControl } from './control.mjs';
import { removeFile, writeJson } from './files.mjs';
import { infrastructure } from './infra/infra.mjs';
import { readyBanner, removeLocalFiles, writeLocalFiles } from './local-file.mjs';
import { provision } from './provision.mjs';
import { answerRequest } from './requests.mjs';
import { becomeLauncher, endLeftovers, ProcessBook } from './run/launcher-record.mjs';
import { requireFreePorts } from './run/ports.mjs';
import { removeWhenOrphaned } from './run/spawn.mjs';
import { watchForStop } from './run/stop-request.mjs';
import { describeExit } from './run/supervised.mjs';
import { compactProcess, discoverServices, serviceProcess, startUntilHealthy } from './services.mjs';
import { setUp } from './setup/set-up.mjs';
import { Stack } from './stack.mjs';
import { statePaths } from './state.mjs';
import { StackFault } from './fault.mjs';

/** For a service to start and to be ready while all else runs. */
const healthyTimeoutMs = 120_000;

/**
 * @typedef {{ compact: boolean, build: boolean }} LaunchOptions
 * @typedef {{ tenant: string, apiKey: string }} DevelopmentKey
 */

/**
 * Resolves when everything has been stopped again.
 * @param {import('./settings.mjs').Settings} settings
 * @param {LaunchOptions & { terminal: import('./run/terminal.mjs').Terminal }} options
 */
export async function launch(settings, { terminal, ...options }) {
  const paths = statePaths(settings.stateDir);
  const record = becomeLauncher(paths);
  const launcher = new Launcher(settings, { paths, terminal, options });
  try {
    await launcher.run(record);
  } finally {
    removeFile(paths.launcher);
  }
}

class Launcher {
  #settings;
  #paths;
  #terminal;
  #options;
  #stop = watchForStop();
  #startedAt = Date.now();
  #children;
  #stack;
  /** @type {import('./services.mjs').ServiceContext | null} */ #context = null;
  /** @type {DevelopmentKey | null} set when everything was ready once */ #key = null;

  /**
   * @param {import('./settings.mjs').Settings} settings
   * @param {{ paths: import('./state.mjs').StatePaths, terminal: import('./run/terminal.mjs').Terminal,
   *   options: LaunchOptions }} context
   */
  constructor(settings, { paths, terminal, options }) {
    this.#settings = settings;
    this.#paths = paths;
    this.#terminal = terminal;
    this.#options = options;
    this.#children = new ProcessBook(paths.processes);
    this.#stack = new Stack({ logFolder: paths.logs, show: terminal.show, report: (event) => this.#onEvent(event) });
  }

  /** @param {import('./run/launcher-record.mjs').LauncherRecord} record */
  async run(record) {
    const control = await openControl((request, say) => this.#answer(request, say));
    writeJson(this.#paths.launcher, { ...record, port: control.port, token: control.token });
    this.#stop.onForce(() => this.#force());
    const endedInOrder = removeWhenOrphaned([this.#paths.local, this.#paths.prometheusTargets]);
    try {
      await Promise.race([this.#bringUp().then(() => this.#stop.requested), this.#stop.requested]);
    } finally {
      await this.#takeDown();
      control.close();
      endedInOrder();
      this.#stop.close();
    }
  }

  async #bringUp() {
    const say = this.#terminal.say;
    await endLeftovers(this.#paths, say);
    await requireFreePorts(this.#settings.ports);
    const java = await setUp(this.#settings, { say, build: this.#options.build });
    if (this.#stop.isRequested()) return;
    mkdirSync(this.#paths.objects, { recursive: true });
    const infra = infrastructure({ settings: this.#settings, paths: this.#paths, java });
    const context = { settings: this.#settings, paths: this.#paths, addresses: infra.addresses };
    this.#context = context;
    await Promise.all(infra.processes.map((spec) => this.#stack.add(spec).start()));
    const key = await provision(context);
    if (this.#stop.isRequested()) return;
    await Promise.all(this.#serviceSpecs(context).map((spec) => this.#startService(spec)));
    if (this.#stop.isRequested()) return;
    this.#key = key;
    this.#writeLocal();
    const seconds = ((Date.now() - this.#startedAt) / 1000).toFixed(1);
    this.#terminal.print(readyBanner({ url: this.#url, apiKey: key.apiKey, seconds }));
  }

  /** @param {import('./services.mjs').ServiceContext} context */
  #serviceSpecs(context) {
    const services = discoverServices(this.#settings.root);
    if (services.length === 0) throw new StackFault('No service is built. Run npm start without --no-build.');
    if (this.#options.compact) return [compactProcess(context, services)];
    return services.map((service) => serviceProcess(context, service, 0));
  }

  /** @param {import('./run/supervised.mjs').ProcessSpec} spec */
  async #startService(spec) {
    const reasons = await startUntilHealthy(this.#stack.add(spec), healthyTimeoutMs);
    if (reasons.length > 0) throw new StackFault(`${spec.name} does not become ready: ${reasons.join('; ')}`);
  }

  get #url() {
    return `http://127.0.0.1:${this.#settings.ports.http}`;
  }

  async #takeDown() {
    this.#key = null;
    removeLocalFiles(this.#paths);
    const isSomethingUp = this.#stack.processes.length > 0;
    if (isSomethingUp) this.#terminal.say('stopping: services, then registry, Kafka and PostgreSQL …');
    await this.#stack.stopAll();
    removeFile(this.#paths.processes);
    if (isSomethingUp) this.#terminal.say('stopped');
  }

  #force() {
    this.#terminal.say('stopping at once');
    this.#stack.killAll();
  }

  /** @param {import('./run/supervised.mjs').SupervisionEvent} event */
  #onEvent({ type, process, exit, delayMs, lines }) {
    if (type === 'starting' && process.pid) this.#children.enter(process.name, process.pid);
    if (type === 'ready') this.#terminal.say(`${process.name} is up (pid ${process.pid})`);
    if (exit && delayMs !== undefined) {
      const last = (lines ?? []).slice(-8).map((line) => `  ${line.slice(0, 400)}`);
      const heading = `${process.name} ${describeExit(exit)}; it is started again in ${delayMs / 1000} s.`;
      this.#terminal.say([heading, ...(last.length > 0 ? ['Its last lines:', ...last] : [])].join('\n'));
    }
    if (type !== 'starting' && type !== 'ready') this.#children.strike(process.name);
    if (this.#key !== null) this.#writeLocal();
  }

  #writeLocal() {
    if (this.#context === null || this.#key === null) return;
    const { addresses } = this.#context;
    writeLocalFiles(this.#paths, { ...this.#key, url: this.#url, addresses, processes: this.#stack.processes });
  }

  /**
   * @param {import('./control.mjs').Request} request
   * @param {(line: string) => void} say
   */
  #answer(request, say) {
    return answerRequest(request, { say, stack: this.#stack, services: this.#context, compact: this.#options.compact });
  }
}
