// A TCP proxy before Postgres that cuts connections at the worst moment: when COMMIT was sent, or a statement of the ledger
// that commits by itself. Whoever commits through it cannot know what became of the transaction.
import { once } from 'node:events';
import { connect, createServer } from 'node:net';

/** How pg sends it: a simple query is 'Q', its length, and the text with a NUL (PostgreSQL's protocol, version 3). */
const commit = Buffer.from('Q\0\0\0\x0bCOMMIT\0', 'latin1');

/** Each is a transaction of its own: 'P', length, name, text when it is new to the session; then 'B', length, portal, name. */
const ledgerPatterns = { claims: /\bpin_and_claim\(/, answers: /\bstore_answers\(/ };
const headerBytes = 5;

/**
 * @typedef {object} CommitCutter
 * @property {string} url the database's address, through the proxy
 * @property {(share: number) => void} arm from now on, this share of the commits loses its connection
 * @property {{ after: number, before: number, claims: number, answers: number }} cuts after the commit took place, and before
 *   it was sent on; how many of them were claims and answers of the ledger
 * @property {() => Promise<void>} close
 */

/**
 * @param {string} postgresUrl
 * @param {import('./random.mjs').Random} random
 * @returns {Promise<CommitCutter>}
 */
export async function startCommitCutter(postgresUrl, random) {
  const target = new URL(postgresUrl);
  const state = { share: 0, cuts: { after: 0, before: 0, claims: 0, answers: 0 }, sockets: new Set() };
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

/**
 * Tells statements of the ledger in what a session sends.
 * @returns {(chunk: Buffer) => 'claims' | 'answers' | undefined}
 */
function ledgerStatements() {
  /** Kinds by the names of statements. */
  const named = new Map();
  const wordsOf = (chunk) => chunk.toString('latin1', headerBytes, headerBytes + 2_000).split('\0');
  return (chunk) => {
    const kind = String.fromCharCode(chunk[0] ?? 0);
    if (kind === 'B') return named.get(wordsOf(chunk)[1]);
    if (kind !== 'P') return undefined;
    const [name, text = ''] = wordsOf(chunk);
    const [found] = Object.entries(ledgerPatterns).find(([, pattern]) => pattern.test(text)) ?? [];
    if (found !== undefined) named.set(name, found);
    return found;
  };
}

/** Passes everything on, except when a commit is chosen. */
function join(client, upstream, { state, random }) {
  let isCutting = false;
  const kindOf = ledgerStatements();
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
    const ofLedger = kindOf(chunk);
    if ((ofLedger !== undefined || chunk.includes(commit)) && random.chance(state.share)) {
      if (ofLedger !== undefined) state.cuts[ofLedger] += 1;
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
