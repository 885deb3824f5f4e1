// "Are you ready?", asked of Kafka and PostgreSQL in their own protocols, without a client library: this runs before
// anything is installed.
import { connect } from 'node:net';

const host = '127.0.0.1';
const timeoutMs = 2_000;

/**
 * Metadata (key 3, version 1) for no topic. The answer lists only brokers that are in service, so an empty list means
 * that the node still waits, for example for its own old session after a `kill -9`.
 * @param {number} port
 * @returns {Promise<true | null>}
 */
export async function isKafkaReady(port) {
  const body = Buffer.from([0, 3, 0, 1, 0, 0, 0, 1, 0xff, 0xff, 0, 0, 0, 0]); // key, version, correlation, no client id, no topics
  const size = Buffer.alloc(4);
  size.writeInt32BE(body.length);
  const answer = await exchange(port, Buffer.concat([size, body]), 12);
  return answer !== null && answer.readInt32BE(8) > 0 ? true : null;
}

/**
 * A start-up message, as `pg_isready` sends it. A server that starts up or shuts down refuses with `E`; one that
 * accepts sessions goes on to ask for a password with `R`.
 * @param {number} port
 * @returns {Promise<true | null>}
 */
export async function isPostgresReady(port) {
  const parameters = Buffer.from('user\0postgres\0database\0postgres\0\0');
  const head = Buffer.alloc(8);
  head.writeInt32BE(8 + parameters.length, 0);
  head.writeInt32BE(196_608, 4); // protocol 3.0
  const answer = await exchange(port, Buffer.concat([head, parameters]), 1);
  return answer?.[0] === 'R'.charCodeAt(0) ? true : null;
}

/**
 * @param {number} port
 * @param {Buffer} request
 * @param {number} bytes so much of the answer is awaited
 * @returns {Promise<Buffer | null>} null when there is no such answer
 */
function exchange(port, request, bytes) {
  return new Promise((resolve) => {
    let answer = Buffer.alloc(0);
    const socket = connect({ port, host, timeout: timeoutMs }, () => socket.write(request));
    const finish = (/** @type {Buffer | null} */ result) => {
      socket.destroy();
      resolve(result);
    };
    socket.on('data', (chunk) => {
      answer = Buffer.concat([answer, chunk]);
      if (answer.length >= bytes) finish(answer);
    });
    socket.once('timeout', () => finish(null));
    socket.once('error', () => finish(null));
    socket.once('close', () => resolve(null));
  });
}
