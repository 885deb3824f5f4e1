import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isFile } from '../files.mjs';
import { waitFor } from '../run/wait.mjs';
import { artifactFolders } from '../setup/artifacts.mjs';
import { runQuietly } from '../setup/run-quietly.mjs';
import { spawnJava } from './jvm.mjs';
import { isKafkaReady } from './wire.mjs';

const logging = fileURLToPath(new URL('kafka-log4j2.yaml', import.meta.url));

/** @param {import('../settings.mjs').Settings} settings */
export function kafkaAddress({ ports }) {
  return `127.0.0.1:${ports.kafka}`;
}

/**
 * One KRaft node: broker and controller in one.
 * @param {import('./infra.mjs').InfraContext} context
 * @returns {import('../run/supervised.mjs').ProcessSpec}
 */
export function kafkaProcess({ settings, paths, java }) {
  const jars = join(artifactFolders(settings.cacheDir).kafka, '*');
  const configuration = join(paths.kafka, 'server.properties');
  const logOption = `-Dlog4j2.configurationFile=file:${logging}`;
  return {
    name: 'kafka',
    stopTimeoutMs: 30_000,
    async prepare() {
      mkdirSync(paths.kafka, { recursive: true });
      writeFileSync(configuration, serverProperties(settings.ports, join(paths.kafka, 'data')));
      await formatOnce(paths.kafka, (args) => {
        const what = 'Kafka could not format its data folder';
        return runQuietly(
          java.command,
          ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', logOption, '-cp', jars, ...args, '-c', configuration],
          {
            cwd: paths.kafka,
            env: settings.environment,
            what,
          },
        );
      });
    },
    spawn: () =>
      spawnJava({
        java,
        folder: artifactFolders(settings.cacheDir).kafka,
        workFolder: paths.kafka,
        heapMegabytes: 384,
        args: [logOption, '-cp', jars, 'kafka.Kafka', configuration],
        cwd: paths.kafka,
        env: settings.environment,
      }),
    ready: (_child, signal) =>
      waitFor(async () => ((await isKafkaReady(settings.ports.kafka)) ? {} : null), {
        signal,
        timeoutMs: 60_000,
        what: 'Kafka, to take its place in the cluster,',
      }),
  };
}

/**
 * The marker is written last: a folder whose formatting was cut short is formatted again.
 * @param {string} folder
 * @param {(args: string[]) => Promise<unknown>} runStorageTool
 */
async function formatOnce(folder, runStorageTool) {
  const marker = join(folder, 'formatted');
  if (isFile(marker)) return;
  const clusterId = `A${randomBytes(16).toString('base64url').slice(1)}`; // must not begin with a dash
  await runStorageTool(['kafka.tools.StorageTool', 'format', '--ignore-formatted', '-t', clusterId]);
  writeFileSync(marker, `${clusterId}\n`);
}

/**
 * @param {Record<string, number>} ports
 * @param {string} dataFolder
 */
function serverProperties(ports, dataFolder) {
  const properties = {
    'process.roles': 'broker,controller',
    'node.id': 1,
    'controller.quorum.voters': `1@127.0.0.1:${ports.kafkaController}`,
    'controller.listener.names': 'CONTROLLER',
    listeners: `PLAINTEXT://127.0.0.1:${ports.kafka},CONTROLLER://127.0.0.1:${ports.kafkaController}`,
    'advertised.listeners': `PLAINTEXT://127.0.0.1:${ports.kafka}`,
    'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT',
    'inter.broker.listener.name': 'PLAINTEXT',
    'log.dirs': dataFolder,
    'auto.create.topics.enable': false,
    'default.replication.factor': 1,
    'min.insync.replicas': 1,
    'offsets.topic.replication.factor': 1,
    'offsets.topic.num.partitions': 4,
    'transaction.state.log.replication.factor': 1,
    'transaction.state.log.min.isr': 1,
    'transaction.state.log.num.partitions': 4,
    'share.coordinator.state.topic.replication.factor': 1,
    'share.coordinator.state.topic.min.isr': 1,
    'share.coordinator.state.topic.num.partitions': 1,
    // Consumers of one machine come and go quickly.
    'group.initial.rebalance.delay.ms': 0,
    'group.min.session.timeout.ms': 1_000,
    'group.consumer.min.heartbeat.interval.ms': 500,
    'group.consumer.heartbeat.interval.ms': 500,
    'group.consumer.min.session.timeout.ms': 5_000,
    'group.consumer.session.timeout.ms': 10_000,
    // After a kill the new process waits for the old one's session to end: 3 s instead of 9.
    'broker.session.timeout.ms': 3_000,
    'broker.heartbeat.interval.ms': 500,
    'num.network.threads': 2,
    'num.io.threads': 4,
    'log.segment.bytes': 64 * 1024 * 1024,
    'log.cleaner.dedupe.buffer.size': 16 * 1024 * 1024,
    'log.retention.check.interval.ms': 30_000,
  };
  return Object.entries(properties)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
}
