// How another terminal speaks to the running launcher: one line of JSON each way and any number of notes between, over
// a loopback port with a token that only the owner of the state folder can read. (A socket file's path may not be
// longer than 107 bytes, and checkouts lie deep.)
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { connect, createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { StackFault } from './fault.mjs';

/**
 * @typedef {{ command: string, names?: string[] }} Request
 * @typedef {(request: Request, say: (line: string) => void) => Promise<unknown>} Handler
 */

/**
 * @param {Handler} handle
 * @returns {Promise<{ port: number, token: string, close: () => void }>}
 */
export async function openControl(handle) {
  const token = randomBytes(24).toString('hex');
  const server = createServer((socket) => {
    socket.on('error', () => {}); // The other side went away; what it asked for is done all the same.
    createInterface({ input: socket }).once('line', (line) => void answer(socket, line, { token, handle }));
  });
  await new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => resolve(undefined));
  });
  const address = /** @type {import('node:net').AddressInfo} */ (server.address());
  return { port: address.port, token, close: () => server.close() };
}

/**
 * @param {import('node:net').Socket} socket
 * @param {string} line
 * @param {{ token: string, handle: Handler }} options
 */
async function answer(socket, line, { token, handle }) {
  const write = (/** @type {object} */ message) => socket.writable && socket.write(`${JSON.stringify(message)}\n`);
  try {
    const request = JSON.parse(line);
    if (!isEqual(String(request.token), token)) throw new StackFault('wrong token');
    write({ result: (await handle(request, (note) => write({ note }))) ?? null });
  } catch (error) {
    write({ fault: error instanceof Error ? error.message : String(error) });
  }
  socket.end();
}

/**
 * @param {string} given
 * @param {string} expected
 */
function isEqual(given, expected) {
  return given.length === expected.length && timingSafeEqual(Buffer.from(given), Buffer.from(expected));
}

/**
 * @param {{ port: number, token: string }} launcher
 * @param {Request} request
 * @param {(line: string) => void} say is given the launcher's notes on the way
 * @returns {Promise<any>} the launcher's answer; a refusal is thrown
 */
export function askLauncher({ port, token }, request, say) {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' }, () =>
      socket.write(`${JSON.stringify({ ...request, token })}\n`),
    );
    socket.once('error', (error) => reject(new StackFault(`The launcher does not answer: ${error.message}`)));
    socket.once('close', () => reject(new StackFault('The launcher ended before it answered.')));
    createInterface({ input: socket }).on('line', (line) => {
      const message = JSON.parse(line);
      if (message.note !== undefined) say(message.note);
      else if (message.fault !== undefined) reject(new StackFault(message.fault));
      else resolve(message.result);
    });
  });
}
