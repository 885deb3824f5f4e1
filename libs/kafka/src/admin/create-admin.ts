import type { KafkaConfig } from '../kafka-config.js';
import { KafkajsAdmin } from '../kafkajs/broker-admin.js';
import { silentLogger, type Logger } from '../logger.js';
import type { BrokerAdmin } from './broker-admin.js';
import { createRegistryAdmin, type RegistryAdmin, type SchemaListener } from './registry-admin.js';

/** Broker and registry, for tools of deployment and for checks at start. */
export type KafkaAdmin = BrokerAdmin & RegistryAdmin;

/** Makes an admin; it connects at the first call. Close it. */
export function createAdmin(config: KafkaConfig, log: Logger = silentLogger, onSchema?: SchemaListener): KafkaAdmin {
  return Object.assign(new KafkajsAdmin(config, log), createRegistryAdmin(config, onSchema));
}
