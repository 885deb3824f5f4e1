// Brokers for specs that take one down: each spec gets its own, starts and stops it over HTTP, and gives it back.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { kafkaAddress, kafkaProcess } from '../infra/kafka.mjs';
import { freePorts } from '../run/ports.mjs';
import { statePaths } from '../state.mjs';

/**
 * POST / starts a broker and answers `{ name, address }`; POST /NAME/stop and /NAME/start answer when that is done, as
 * does POST /NAME/kill, after which the broker comes up again by itself. Whatever is left is the stack's to stop.
 * @param {object} context
 * @param {import('../stack.mjs').Stack} context.stack
 * @param {import('../settings.mjs').Settings} context.settings
 * @param {import('../setup/java.mjs').Java} context.java
 * @param {string} context.folder each broker gets a state folder in it
 * @returns {Promise<{ url: string, close: () => void }>}
 */
export async function serveSpareBrokers({ stack, settings, java, folder }) {
  let count = 0;
  const open = async () => {
    const [kafka, kafkaController] = await freePorts(2);
    const own = { ...settings, ports: { ...settings.ports, kafka, kafkaController } };
    const name = `spare-broker-${++count}`;
    const paths = statePaths(join(folder, name));
    await stack.add({ ...kafkaProcess({ settings: own, paths, java }), name }).start();
    return { name, address: kafkaAddress(own) };
  };
  /** @param {string} path */
  const act = async (path) => {
    const [, name, action] = path.split('/');
    if (name === '') return open();
    const broker = stack.find(name);
    if (action === 'start') await broker?.start();
    else if (action === 'stop') await broker?.stop();
    else if (action === 'kill') broker?.kill();
    else throw new Error(`${path} is nothing that a broker can do`);
    return {};
  };
  const server = createServer((request, response) => {
    void act(request.url ?? '').then(
      (answer) => response.end(JSON.stringify(answer)),
      (error) => response.writeHead(500).end(String(error)),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() };
}
