import { AsyncLocalStorage } from 'node:async_hooks';
import { pino, type DestinationStream, type Logger as PinoLogger } from 'pino';

/** A structured logger bound to one service: `log.info({ jobId }, 'what happened')`. */
export type Logger = PinoLogger;

const censor = '[redacted]';
const secretKeys = ['authorization', 'cookie', 'password', 'secret', 'token', 'apiKey', 'connectionString'];
// Document text may never reach a log (architecture §4). Events pass the contracts' redactor; this is the second net.
const textKeys = ['text', 'content', 'body', 'query', 'parameters'];
const hiddenKeys = new Set([...secretKeys, ...textKeys]);
const searchedDepth = 3;
const hiddenSerializers = Object.fromEntries([...hiddenKeys].map((key) => [key, () => censor]));
const messageMaxCharacters = 500;

export interface LoggerOptions {
  level: string;
  /** Values that are removed wherever they would appear in a line. */
  secrets?: readonly string[];
  /** Standard output unless given. */
  destination?: DestinationStream;
}

/** The process's logger: JSON lines with `time` (ISO), `level` (word) and `msg`. Bind a service with `.child({ service })`. */
export function createLogger({ level, secrets = [], destination }: LoggerOptions): Logger {
  const masked = secrets.flatMap(secretForms);
  const options = {
    level,
    base: undefined,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: {
      level: (label: string) => ({ level: label }),
      log: (fields: Record<string, unknown>) => hideFields(fields, searchedDepth),
    },
    // What a child logger binds passes the serializers only.
    serializers: { ...hiddenSerializers, err: describeError, error: describeError },
    ...(masked.length > 0 && { hooks: { streamWrite: (line: string) => maskAll(line, masked) } }),
  };
  // Synchronous, so that the last line before an exit is never lost.
  return pino(options, destination ?? pino.destination({ fd: 1, sync: true }));
}

/**
 * The fields without what must not be logged. Not pino's own redaction: with wildcards it costs 30 µs a line, and a
 * service logs lines for every document.
 */
function hideFields(fields: Record<string, unknown>, depth: number): Record<string, unknown> {
  let copy: Record<string, unknown> | undefined;
  for (const key in fields) {
    const value = fields[key];
    const shown = hiddenKeys.has(key) ? censor : depth > 1 && isNested(value) ? hideNested(value, depth - 1) : value;
    if (shown !== value) (copy ??= { ...fields })[key] = shown;
  }
  return copy ?? fields;
}

function hideNested(value: object, depth: number): unknown {
  if (!Array.isArray(value)) return hideFields(value as Record<string, unknown>, depth);
  return value.map((item: unknown) => (isNested(item) ? hideFields(item as Record<string, unknown>, depth) : item));
}

/** Errors have a serializer of their own. */
function isNested(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !(value instanceof Error);
}

/** A secret as it may appear in a line: as it is, escaped for JSON, and the credentials of a URL on their own. */
function secretForms(secret: string): string[] {
  const credentials = /:\/\/([^/@]*:[^/@]+)@/.exec(secret)?.[1];
  const forms = [secret, JSON.stringify(secret).slice(1, -1), ...(credentials ? [`${credentials}@`] : [])];
  return [...new Set(forms)].filter((form) => form.length >= 4);
}

function maskAll(line: string, secrets: readonly string[]): string {
  return secrets.reduce(
    (masked, secret) => (masked.includes(secret) ? masked.replaceAll(secret, censor) : masked),
    line,
  );
}

/**
 * An error for the log: only fields that cannot carry a document. A driver's error has the failed row (`detail`) and
 * the statement's parameters as further fields, so copying all of them would leak text.
 */
export function describeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { type: typeof error, message: shorten(String(error)) };
  const code: unknown = 'code' in error ? error.code : undefined;
  return {
    type: error.name === 'Error' ? error.constructor.name : error.name,
    message: shorten(error.message),
    ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
    stack: stackFrames(error),
    ...(error.cause === undefined ? {} : { cause: describeError(error.cause) }),
  };
}

function stackFrames({ stack }: Error): string[] {
  const lines = stack?.split('\n').map((line) => line.trim()) ?? [];
  return lines.filter((line) => line.startsWith('at ') && !line.includes('(node:internal')).slice(0, 10);
}

function shorten(message: string): string {
  return message.length > messageMaxCharacters ? `${message.slice(0, messageMaxCharacters)}…` : message;
}

const currentLogger = new AsyncLocalStorage<Logger>();

/** Runs a service's code so that everything it starts, Nest's own lines included, logs under its name. */
export function runAsService<T>(log: Logger, run: () => T): T {
  return currentLogger.run(log, run);
}

/** The logger of the service whose code runs now, if any. */
export function loggerInScope(): Logger | undefined {
  return currentLogger.getStore();
}
