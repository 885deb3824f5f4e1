import type { LoggerService } from '@nestjs/common';
import { loggerInScope, type Logger } from './logging.js';

/**
 * Nest's logger, which is one per process, routed to the logger of the service that runs at that moment.
 * Nest's own `log` lines (modules, routes) are ours at `debug`.
 */
export function createNestLogger(fallback: Logger): LoggerService {
  const current = () => loggerInScope() ?? fallback;
  const write =
    (level: 'fatal' | 'error' | 'warn' | 'debug' | 'trace') =>
    (message: unknown, ...rest: unknown[]) => {
      current()[level](describe(message, rest), text(message));
    };
  return {
    log: write('debug'),
    fatal: write('fatal'),
    error: write('error'),
    warn: write('warn'),
    debug: write('trace'),
    verbose: write('trace'),
  };
}

/** Nest passes the context's name last; before it a stack, which the error itself already has. */
function describe(message: unknown, rest: readonly unknown[]): Record<string, unknown> {
  const context = rest.at(-1);
  const error = [message, ...rest].find((value) => value instanceof Error);
  return { ...(typeof context === 'string' && { context }), ...(error !== undefined && { err: error }) };
}

function text(message: unknown): string {
  if (message instanceof Error) return message.message;
  return typeof message === 'string' ? message : 'a message of Nest that is not text';
}
