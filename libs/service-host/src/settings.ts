import type { z } from 'zod';

/** The one prefix of every setting. */
const settingPrefix = 'ANABRANCH_';
/** Names that `npm test` sets for the specs; services pass over them. */
const testSetting = /^ANABRANCH_(TEST|E2E)_/;

/** Something wrong with the environment: which variable, why, and what to do about it. Never holds a secret's value. */
export interface SettingFault {
  variable: string;
  reason: string;
  fix: string;
}

/** A setting as the reference, `.env.example` and error messages describe it. */
export interface SettingDescription {
  key: string;
  variable: string;
  description: string;
  secret: boolean;
  required: boolean;
}

type Schema = z.core.$ZodType;
interface SchemaMetadata {
  description?: string;
  secret?: boolean;
}
interface Definition {
  innerType?: Schema;
  in?: Schema;
  out?: Schema;
}

/** `kafkaBrokers` -> `ANABRANCH_KAFKA_BROKERS`. */
export function variableOf(key: string): string {
  return settingPrefix + key.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, '_').toUpperCase();
}

/** Describes every setting of a schema, in the schema's order. */
export function describeSettings(schema: z.ZodObject): SettingDescription[] {
  return Object.entries(schema.shape).map(([key, field]) => {
    const { description, secret } = metadataOf(field);
    return {
      key,
      variable: variableOf(key),
      description: description ?? '',
      secret: secret ?? false,
      required: !field.safeParse(undefined).success,
    };
  });
}

/** A wrapper (`default`, `optional`, a transform) hides the metadata of what it wraps: the outermost one given wins. */
function metadataOf(schema: Schema): SchemaMetadata {
  const { innerType, in: input, out } = schema._zod.def as Definition;
  const wrapped = [input, out, innerType].filter((part) => part !== undefined).map(metadataOf);
  const own = (schema as z.ZodType).meta() as SchemaMetadata | undefined;
  return Object.assign({}, ...wrapped, own) as SchemaMetadata;
}

export type ReadResult<T> = { values: T; faults: [] } | { values: undefined; faults: SettingFault[] };

/**
 * Reads a schema's settings from the environment. All faults are reported together.
 * A variable that is set to nothing counts as not set, as in an .env file with a name and no value.
 */
export function readSettings<S extends z.ZodObject>(schema: S, env: NodeJS.ProcessEnv): ReadResult<z.infer<S>> {
  const raw: Record<string, string | undefined> = {};
  for (const key of Object.keys(schema.shape)) raw[key] = env[variableOf(key)] || undefined;
  const result = schema.safeParse(raw);
  if (result.success) return { values: result.data, faults: [] };
  const descriptions = new Map(describeSettings(schema).map((setting) => [setting.key, setting]));
  return {
    values: undefined,
    faults: result.error.issues.map((issue) => {
      const setting = descriptions.get(String(issue.path[0]));
      return setting ? settingFault(setting, raw[setting.key], issue.message) : ruleFault(issue.message);
    }),
  };
}

function settingFault(setting: SettingDescription, value: string | undefined, message: string): SettingFault {
  const fix = setting.description ? `set it (${setting.description})` : 'see docs/configuration.md';
  return { variable: setting.variable, reason: reasonOf(setting, value, message), fix };
}

function reasonOf(setting: SettingDescription, value: string | undefined, message: string): string {
  // An optional one has a fault without a value only by a rule over several settings.
  if (value === undefined) return setting.required ? 'is not set' : `is not set: ${message}`;
  // A custom rule's message may quote the value, so a secret's is left out.
  if (setting.secret || looksSecret(setting.variable, value))
    return 'has a value that is not acceptable (withheld: it is a secret)';
  return `is "${value.length > 60 ? `${value.slice(0, 60)}…` : value}": ${message}`;
}

/** The second net, for a schema that forgot to mark a secret. */
function looksSecret(variable: string, value: string): boolean {
  return /PASSWORD|SECRET|TOKEN|_KEY$/.test(variable) || /:\/\/[^/@]*:[^/@]+@/.test(value);
}

/** A rule over several settings that named none by its path. */
function ruleFault(message: string): SettingFault {
  return { variable: 'settings together', reason: message, fix: 'see docs/configuration.md' };
}

/** The values of a schema's secrets, for the log to mask. */
export function secretValues(schema: z.ZodObject, env: NodeJS.ProcessEnv): string[] {
  return describeSettings(schema)
    .map(({ variable, secret }) => ({ variable, secret, value: env[variable] ?? '' }))
    .filter(({ variable, secret, value }) => value !== '' && (secret || looksSecret(variable, value)))
    .map(({ value }) => value);
}

/**
 * Faults for variables with our prefix that no service knows: a misspelt name would otherwise be ignored in silence.
 * @param known every name that any service or tool of the platform reads, so that one environment can serve them all
 */
export function unknownSettings(env: NodeJS.ProcessEnv, known: readonly string[]): SettingFault[] {
  const names = new Set(known);
  return Object.keys(env)
    .filter((name) => name.startsWith(settingPrefix) && !testSetting.test(name) && !names.has(name))
    .sort()
    .map((variable) => ({ variable, reason: 'is not a setting of Anabranch', fix: suggestion(variable, known) }));
}

function suggestion(variable: string, known: readonly string[]): string {
  const nearest = known
    .map((name) => ({ name, distance: distanceOf(variable, name) }))
    .sort((a, b) => a.distance - b.distance)[0];
  // The prefix, which all have, says nothing about what was meant.
  if (nearest === undefined || nearest.distance > (variable.length - settingPrefix.length) / 3)
    return 'remove it: docs/configuration.md lists all';
  return `did you mean ${nearest.name}? Otherwise remove it: docs/configuration.md lists all`;
}

/** A name that was cut short is as near as one with a wrong letter. */
function distanceOf(variable: string, name: string): number {
  return name.startsWith(`${variable}_`) ? 1 : editDistance(variable, name);
}

/** Levenshtein's distance. */
function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const substituted = (previous[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      current.push(Math.min((previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1, substituted));
    }
    previous = current;
  }
  return previous.at(-1) ?? 0;
}

/** All faults in one text, one variable a paragraph. */
export function faultReport(heading: string, faults: readonly SettingFault[]): string {
  const count = faults.length === 1 ? '1 setting is wrong' : `${faults.length} settings are wrong`;
  const lines = faults.map(({ variable, reason, fix }) => `  ${variable} ${reason}\n    fix: ${fix}`);
  return `${heading}: ${count}\n${lines.join('\n')}\n`;
}
