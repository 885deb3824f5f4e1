// What other terminals ask of the running launcher: take a part down, bring it back, add an instance, list.
import { StackFault } from './fault.mjs';
import { isInfrastructure } from './infra/names.mjs';
import { compactName, discoverServices, reasonsNotReady, serviceProcess, startUntilHealthy } from './services.mjs';

/** A service may lack a part that was taken down: then who asked hears so, and does not wait for ever. */
const healthyTimeoutMs = 20_000;

/**
 * @typedef {object} RequestContext
 * @property {(line: string) => void} say
 * @property {import('./stack.mjs').Stack} stack
 * @property {import('./services.mjs').ServiceContext | null} services what a service is started with; null while the
 *   launcher sets things up
 * @property {boolean} compact
 */

/**
 * @param {import('./control.mjs').Request} request
 * @param {RequestContext} context
 */
export async function answerRequest({ command, names = [] }, context) {
  if (command === 'status') return Promise.all(context.stack.processes.map(describe));
  if (context.services === null) throw new StackFault('Anabranch is still setting up: try again when it is ready.');
  if (command === 'stop') return forEachName(names, (name) => stopNamed(name, context));
  if (command === 'start') return forEachName(names, (name) => startNamed(name, context));
  throw new StackFault(`The launcher knows no "${command}": it is of another version. Stop it and start it again.`);
}

/** @param {import('./run/supervised.mjs').Supervised} process */
async function describe({ name, state, pid, details }) {
  const reasons = details.metricsUrl ? await reasonsNotReady(details.metricsUrl) : [];
  return { name, state: reasons.length > 0 ? 'not ready' : state, pid, ...details, reasons };
}

/**
 * One after the other: `stop kafka postgres` has an order, and two requests for one part may not cross.
 * @param {string[]} names
 * @param {(name: string) => Promise<void>} act
 */
async function forEachName(names, act) {
  for (const name of names) await act(name);
}

/**
 * @param {string} name
 * @param {RequestContext} context
 */
async function stopNamed(name, { say, stack, compact }) {
  refusePartOfCompact(name, compact);
  for (const process of stack.named(name)) {
    await process.stop();
    say(`${process.name} is down, and stays down until: npm start -- --only ${process.name}`);
  }
}

/**
 * @param {string} name
 * @param {RequestContext} context
 */
async function startNamed(name, context) {
  const { say, stack, compact } = context;
  refusePartOfCompact(name, compact);
  const known = isKnownService(name, context)
    ? stack.processes.filter(({ service }) => service === name)
    : stack.named(name);
  const down = known.filter(({ state }) => state === 'stopped' || state === 'failed');
  if (down.length === 0 && !isKnownService(name, context))
    throw new StackFault(`${name} is up already, and there can be only one.`);
  const starting = down.length > 0 ? down : [addInstance(name, context)];
  for (const process of starting) {
    if (isInfrastructure(name)) await process.start();
    const reasons = isInfrastructure(name) ? [] : await startUntilHealthy(process, healthyTimeoutMs);
    const state = reasons.length > 0 ? `was started, but is not ready yet: ${reasons.join('; ')}` : 'is ready';
    say(`${process.name} ${state} (pid ${process.pid})${process.details.url ? ` at ${process.details.url}` : ''}`);
  }
}

/**
 * A service can have several instances; the infrastructure and the one process of compact mode cannot.
 * @param {string} name
 * @param {RequestContext} context
 */
function isKnownService(name, { services, compact }) {
  return !compact && services !== null && discoverServices(services.settings.root).includes(name);
}

/**
 * @param {string} service
 * @param {RequestContext} context
 */
function addInstance(service, { stack, services }) {
  const taken = new Set(stack.processes.filter((process) => process.service === service).map(({ index }) => index));
  let index = 0;
  while (taken.has(index)) index += 1;
  return stack.add(serviceProcess(/** @type {import('./services.mjs').ServiceContext} */ (services), service, index));
}

/**
 * @param {string} name
 * @param {boolean} compact
 */
function refusePartOfCompact(name, compact) {
  if (!compact || name === compactName || isInfrastructure(name)) return;
  throw new StackFault(`In compact mode all services share the process "${compactName}": name that one.`);
}
