// A TCP proxy before Postgres that cuts connections at the worst moment: when COMMIT was sent. Whoever commits through it
// cannot know what became of the transaction.
import { once } from 'node:events';
import { connect, createServer } from 'node:net';

/** How pg sends it: a simple query is 'Q', its length, and the text with a NUL (PostgreSQL's protocol, version 3). */
const commit = Buffer.from('Q\0\0\0\x0bCOMMIT\0', 'latin1');

/**
 * @typedef {object} CommitCutter
 * @property {string} url the database's address, through the proxy
 * @property {(share: number) => void} arm from now on, this share of the commits loses its connection
 * @property {{ after: number, before: number }} cuts after the commit took place, and before it was sent on
 * @property {() => Promise<void>} close
 */

/**
 * @param {string} postgresUrl
 * @param {import('./random.mjs').Random} random
 * @returns {Promise<CommitCutter>}
 */
export async function startCommitCutter(postgresUrl, random) {
  const target = new URL(postgresUrl);
  const state = { share: 0, cuts: { after: 0, before: 0 }, sockets: new Set() };
  const server = createServer((client) =>
    join(client, connect(Number(target.port), target.hostname), { state, random }),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(postgresUrl);
  url.host = `127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}`;
  return {
    url: url.href,
    arm: (share) => {
      state.share = share;
    },
    cuts: state.cuts,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of state.sockets) socket.destroy();
      await closed;
    },
  };
}

/** Passes everything on, except when a commit is chosen. */
function join(client, upstream, { state, random }) {
  let isCutting = false;
  const end = () => {
    client.destroy();
    upstream.destroy();
  };
  for (const socket of [client, upstream]) {
    state.sockets.add(socket);
    socket.on('error', end);
    socket.on('close', () => {
      state.sockets.delete(socket);
      end();
    });
  }
  client.on('data', (chunk) => {
    if (chunk.includes(commit) && random.chance(state.share)) {
      if (random.chance(0.25)) {
        state.cuts.before += 1;
        return end();
      }
      isCutting = true;
    }
    upstream.write(chunk);
  });
  upstream.on('data', (chunk) => {
    if (!isCutting) return void client.write(chunk);
    // Postgres has answered: the transaction is there, and nobody is told.
    state.cuts.after += 1;
    end();
  });
}
