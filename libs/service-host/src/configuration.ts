import { hostSettings, type HostSettings } from './host-settings.js';
import { knownSettings } from './known-settings.generated.js';
import { describeSettings, readSettings, secretValues, unknownSettings, type SettingFault } from './settings.js';
import type { ServiceDefinition } from './service.js';

export interface Configuration {
  host: HostSettings;
  /** One per definition, in their order. */
  services: Record<string, unknown>[];
  /** Values that must never be logged. */
  secrets: string[];
}

/** Reads what the host and all services need: everything, or every fault at once. */
export function readConfiguration(
  definitions: readonly ServiceDefinition[],
  env: NodeJS.ProcessEnv,
): { configuration: Configuration; faults: [] } | { configuration: undefined; faults: SettingFault[] } {
  const schemas = definitions.map(({ config }) => config);
  const own = [hostSettings, ...schemas].flatMap(describeSettings).map(({ variable }) => variable);
  const host = readSettings(hostSettings, env);
  const services = schemas.map((schema) => readSettings(schema, env));
  const faults = [host, ...services].flatMap((result) => result.faults);
  const all = [...withoutRepeats(faults), ...unknownSettings(env, [...knownSettings, ...own])];
  if (all.length > 0 || !host.values) return { configuration: undefined, faults: all };
  return {
    configuration: {
      host: host.values,
      services: services.map(({ values }) => values ?? {}),
      secrets: schemas.flatMap((schema) => secretValues(schema, env)),
    },
    faults: [],
  };
}

/** In compact mode several services read the same variable. */
function withoutRepeats(faults: readonly SettingFault[]): SettingFault[] {
  return [...new Map(faults.map((fault) => [`${fault.variable} ${fault.reason}`, fault])).values()];
}
