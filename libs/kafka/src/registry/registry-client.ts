import type { SchemaRegistry, SchemaType } from '@kafkajs/confluent-schema-registry';
import { DependencyUnavailable, PoisonMessage, StopService } from '@anabranch/failures';
import { remedy } from '../remedy.js';

/** The two questions that a service asks of the registry, with every failure named by its cause. */
export interface RegistryClient {
  /** @throws StopService when the subject does not have this schema, DependencyUnavailable */
  idOf(subject: string, schema: string): Promise<number>;
  /** @throws PoisonMessage UNKNOWN_SCHEMA_ID, or DECODE_FAILED for what is not Avro; DependencyUnavailable */
  schemaText(id: number): Promise<string>;
}

/** Its own constant would load it. */
const avro = 'AVRO' as SchemaType.AVRO;

export function createRegistryClient(host: string, timeoutMs: number): RegistryClient {
  let connected: Promise<SchemaRegistry> | undefined;
  const connect = () => (connected ??= createClient(host, timeoutMs));

  async function idOf(subject: string, schema: string): Promise<number> {
    try {
      const client = await connect();
      return await client.getRegistryIdBySchema(subject, { type: avro, schema });
    } catch (error) {
      if (!isNotFound(error)) throw unreachable(error);
      const message = `The registry lacks the newest version of ${subject}. ${remedy}`;
      throw new StopService(message, { code: 'CONFIGURATION', cause: error });
    }
  }

  async function schemaText(id: number): Promise<string> {
    const client = await connect();
    const schema = await client.getSchema(id).catch((error: unknown) => {
      if (isNotFound(error)) {
        throw new PoisonMessage('UNKNOWN_SCHEMA_ID', `The registry has no schema with the id ${id}.`, { cause: error });
      }
      if (isResponse(error)) throw unreachable(error);
      throw new PoisonMessage('DECODE_FAILED', `The schema ${id} cannot be read.`, { cause: error });
    });
    const type = schema as { schema?(options: { exportAttrs: boolean }): unknown };
    if (type.schema === undefined) throw new PoisonMessage('DECODE_FAILED', `The schema ${id} is not an Avro schema.`);
    return JSON.stringify(type.schema({ exportAttrs: true }));
  }

  return { idOf, schemaText };
}

/** Loaded when something has to be asked: it brings parsers of three languages, as much as all else of this lib. */
async function createClient(host: string, timeoutMs: number): Promise<SchemaRegistry> {
  const { default: client } = await import('@kafkajs/confluent-schema-registry');
  return new client.SchemaRegistry({
    host,
    // The runtime retries, where only the partition that needs the schema waits. The client writes this value into a
    // constant of its module: it must be the same everywhere.
    retry: { retries: 0 },
    middlewares: [() => ({ prepareRequest: async (next) => (await next()).enhance({ timeout: timeoutMs }) })],
  });
}

/**
 * Whether the registry itself said that it does not have it. Its own answers carry a message, which the client passes on;
 * without one, something else at that address answered, or nothing did (which the client reports as a status 400).
 */
function isNotFound(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error.name === 'ConfluentSchemaRegistryError') return !error.message.includes('Error, status');
  return isResponse(error) && error.status === 404 && !error.message.includes('Error, status');
}

function isResponse(error: unknown): error is Error & { status: number } {
  return error instanceof Error && 'status' in error;
}

function unreachable(cause: unknown): DependencyUnavailable {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new DependencyUnavailable('registry', `The schema registry cannot be asked: ${reason}`, { cause });
}
