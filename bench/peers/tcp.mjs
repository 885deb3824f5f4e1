// Whether something listens yet.
import { connect } from 'node:net';
import { waitFor } from '../../tools/stack/run/wait.mjs';

function accepts(port) {
  const { promise, resolve } = Promise.withResolvers();
  const socket = connect({ port, host: '127.0.0.1' });
  socket.once('connect', () => resolve({})).once('error', () => resolve(null));
  return promise.finally(() => socket.destroy());
}

/** Resolves when the port accepts connections. */
export const untilListening = (port, signal, what) => waitFor(() => accepts(port), { signal, timeoutMs: 30_000, what });
