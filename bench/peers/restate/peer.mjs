// Restate: one server that keeps journals, and a worker that it calls.
import { createRequire } from 'node:module';
import { connect } from 'node:http2';
import { join } from 'node:path';
import { spawnGuarded } from '../../../tools/stack/run/spawn.mjs';
import { answersOk, waitFor } from '../../../tools/stack/run/wait.mjs';
import { startProcesses } from '../../consumer/stack.mjs';
import { textOf } from '../../platform/documents.mjs';
import { versionOf } from '../install.mjs';

const require = createRequire(import.meta.url);

export const about = {
  version: `${versionOf('@restatedev/restate-server')}, SDK ${versionOf('@restatedev/restate-sdk')}`,
  durability: "class B: Restate's default, its log fsynced (rocksdb-disable-wal-fsync = false)",
};

/** As many streams as a connection takes are few: a backlog is attached to at once. */
const connections = 16;

export const requireParts = () => void serverBinary();

function serverBinary() {
  const platform = `restate-server-${process.platform}-${process.arch}`;
  return join(require.resolve(`@restatedev/${platform}/package.json`), '..', 'bin', 'restate-server');
}

function restateProcess({ paths }, { ingress, admin, node }) {
  const env = {
    PATH: process.env.PATH,
    RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${ingress}`,
    RESTATE_ADMIN__BIND_ADDRESS: `127.0.0.1:${admin}`,
    RESTATE_BIND_ADDRESS: `127.0.0.1:${node}`,
    RESTATE_LISTEN_MODE: 'tcp',
    RESTATE_DISABLE_TELEMETRY: 'true',
    DO_NOT_TRACK: '1',
  };
  const args = ['--base-dir', join(paths.logs, '..', 'restate'), '--node-name', 'bench'];
  return {
    name: 'restate',
    spawn: () =>
      spawnGuarded({ command: serverBinary(), args, stopSignal: 'SIGTERM', delaySeconds: 1, options: { env } }),
    ready: (_child, signal) =>
      waitFor(
        async () =>
          (await answersOk(`http://127.0.0.1:${admin}/health`)) &&
          (await answersOk(`http://127.0.0.1:${ingress}/restate/health`)) &&
          {},
        { signal, timeoutMs: 60_000, what: 'Restate, to become healthy,' },
      ),
  };
}

/** Requests over HTTP/2, since thousands of them wait for answers at a time. */
function openIngress(port) {
  const sessions = Array.from({ length: connections }, () => connect(`http://127.0.0.1:${port}`));
  let turn = 0;
  return {
    request: (method, path, body) => answerOf(sessions[turn++ % connections], { method, path, body }),
    close: () => sessions.forEach((session) => session.destroy()),
  };
}

function answerOf(session, { method, path, body }) {
  const { promise, resolve, reject } = Promise.withResolvers();
  const stream = session.request({ ':method': method, ':path': path, 'content-type': 'application/json' });
  let status = 0;
  let text = '';
  stream.setEncoding('utf8');
  stream.once('response', (headers) => (status = headers[':status']));
  stream.on('data', (chunk) => (text += chunk));
  stream.once('error', reject);
  stream.once('end', () =>
    status < 300 ? resolve(JSON.parse(text)) : reject(new Error(`${path} was answered with ${status}: ${text}`)),
  );
  stream.end(body === undefined ? undefined : JSON.stringify(body));
  return promise;
}

async function register(admin, port) {
  const response = await fetch(`http://127.0.0.1:${admin}/deployments`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ uri: `http://127.0.0.1:${port}`, force: true }),
  });
  if (!response.ok) throw new Error(`Restate did not take the worker: ${await response.text()}`);
  await response.arrayBuffer();
}

export async function open({ ports: [ingress, admin, node, port] }) {
  const describe = (context) => [restateProcess(context, { ingress, admin, node })];
  const { processes, stop } = await startProcesses(describe, { throwAway: false });
  const { request, close } = openIngress(ingress);
  const found = new Map();
  let isRegistered = false;
  const start = (run, number, how) => request('POST', `/document/${run}-${number}/run${how}`, textOf(run, number));
  return {
    processes,
    worker: {
      program: new URL('worker.mjs', import.meta.url).href,
      options: { port },
      async onReady() {
        if (!isRegistered) await register(admin, port);
        isRegistered = true;
      },
    },
    fill: (run, numbers) => Promise.all(numbers.map((number) => start(run, number, '/send'))),
    async call(run, number) {
      found.set(`${run}-${number}`, await start(run, number, ''));
    },
    async whenSettled(run, numbers) {
      const attach = async (id) => found.set(id, await request('GET', `/restate/workflow/document/${id}/attach`));
      await Promise.all(numbers.map((number) => attach(`${run}-${number}`)));
      return Date.now();
    },
    results: async (run) => [...found].filter(([id]) => id.startsWith(`${run}-`)).map(([, result]) => result),
    async close() {
      close();
      await stop();
    },
  };
}
