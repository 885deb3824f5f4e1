import { existsSync } from 'node:fs';
import { StopService } from '@anabranch/failures';
import type { ServiceDefinition } from './service.js';

/**
 * Imports built services by a computed path: the host depends on none of them, so the boundary rule holds.
 * Throws `StopService` for a name without a built service, and for a module that exports no `service`.
 * @param servicesFolder the folder that holds one folder per service, with a trailing slash
 */
export async function loadServices(names: readonly string[], servicesFolder: URL): Promise<ServiceDefinition[]> {
  if (names.length === 0) throw new StopService('name the services to run: main.js ingestion collection …');
  return Promise.all(names.map((name) => loadService(name, servicesFolder)));
}

async function loadService(name: string, servicesFolder: URL): Promise<ServiceDefinition> {
  const path = new URL(`${name}/dist/service.js`, servicesFolder);
  if (!/^[a-z][a-z0-9-]*$/.test(name) || !existsSync(path)) {
    throw new StopService(`there is no built service ${name}: build it, or check the name`);
  }
  const module = (await import(path.href)) as { service?: ServiceDefinition; default?: ServiceDefinition };
  const service = module.service ?? module.default;
  if (!service) throw new StopService(`services/${name} exports no service: src/service.ts must`);
  return service;
}
