import { StopService } from '@anabranch/failures';

/** The error of a server that could not listen, with what to do about it when the port is taken. */
export function explainListen(error: unknown, fix: string): unknown {
  const { code, port } = (error ?? {}) as { code?: unknown; port?: unknown };
  if (code !== 'EADDRINUSE') return error;
  return new StopService(`port ${String(port)} is taken: ${fix}`, { cause: error });
}
