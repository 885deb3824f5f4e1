import confluent from '@kafkajs/confluent-schema-registry';
import { DependencyUnavailable, PoisonMessage, StopService } from '@anabranch/failures';
import { remedy } from '../remedy.js';

/** The two questions that a service asks of the registry, with every failure named by its cause. */
export interface RegistryClient {
  /** @throws StopService when the subject does not have this schema, DependencyUnavailable */
  idOf(subject: string, schema: string): Promise<number>;
  /** @throws PoisonMessage UNKNOWN_SCHEMA_ID, or DECODE_FAILED for what is not Avro; DependencyUnavailable */
  schemaText(id: number): Promise<string>;
}

export function createRegistryClient(host: string, timeoutMs: number): RegistryClient {
  const client = new confluent.SchemaRegistry({
    host,
    // The runtime retries, where only the partition that needs the schema waits. The client writes this value into a
    // constant of its module: it must be the same everywhere.
    retry: { retries: 0 },
    middlewares: [() => ({ prepareRequest: async (next) => (await next()).enhance({ timeout: timeoutMs }) })],
  });

  async function idOf(subject: string, schema: string): Promise<number> {
    try {
      return await client.getRegistryIdBySchema(subject, { type: confluent.SchemaType.AVRO, schema });
    } catch (error) {
      if (!isNotFound(error)) throw unreachable(error);
      const message = `The registry lacks the newest version of ${subject}. ${remedy}`;
      throw new StopService(message, { code: 'CONFIGURATION', cause: error });
    }
  }

  async function schemaText(id: number): Promise<string> {
    const schema = await client.getSchema(id).catch((error: unknown) => {
      if (isNotFound(error)) {
        throw new PoisonMessage('UNKNOWN_SCHEMA_ID', `The registry has no schema with the id ${id}.`, { cause: error });
      }
      if (isResponse(error)) throw unreachable(error);
      throw new PoisonMessage('DECODE_FAILED', `The schema ${id} cannot be read.`, { cause: error });
    });
    const avro = schema as { schema?(options: { exportAttrs: boolean }): unknown };
    if (avro.schema === undefined) throw new PoisonMessage('DECODE_FAILED', `The schema ${id} is not an Avro schema.`);
    return JSON.stringify(avro.schema({ exportAttrs: true }));
  }

  return { idOf, schemaText };
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
