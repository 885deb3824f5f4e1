import { topics, type EventTopic } from '@anabranch/contracts';
import { PoisonMessage, StopService } from '@anabranch/failures';
import { subjectNameOf, type KafkaConfig } from '../kafka-config.js';
import { createRegistryClient } from './registry-client.js';

export interface SchemaRegistry {
  /**
   * The id of this process's version of a topic's schema; asked for once.
   * @throws StopService when it is not registered, DependencyUnavailable when the registry cannot be reached
   */
  idOf(topic: EventTopic): Promise<number>;
  /** The schema with this id, if it was fetched already. Throws what {@link writerSchema} would, if that is known. */
  cachedWriterSchema(id: number): string | undefined;
  /**
   * The schema with this id, fetched once.
   * @throws PoisonMessage UNKNOWN_SCHEMA_ID or DECODE_FAILED, DependencyUnavailable when the registry cannot be reached
   */
  writerSchema(id: number): Promise<string>;
  /** Takes note of a schema that somebody else has looked up. */
  learn(id: number, schema: string): void;
}

export interface SchemaRegistryOptions {
  readonly config: Pick<KafkaConfig, 'registryUrl' | 'topicPrefix'>;
  /** For how long an id that the registry does not know is believed to be unknown. */
  readonly unknownForMs?: number;
  readonly timeoutMs?: number;
  readonly now?: () => number;
}

/** Ids that nobody registered are cheap to send; the cache of them must not grow with them. */
const maxUnknownIds = 10_000;

/** Looks schemas up. It never registers any: that is a step of deployment. */
export function createSchemaRegistry(options: SchemaRegistryOptions): SchemaRegistry {
  const { config, unknownForMs = 30_000, timeoutMs = 5_000, now = Date.now } = options;
  const client = createRegistryClient(config.registryUrl, timeoutMs);
  const ids = new Map<EventTopic, Promise<number>>();
  const schemas = new Map<number, string>();
  const unknown = new Map<number, { error: PoisonMessage; until: number }>();
  const fetching = new Map<number, Promise<string>>();

  function cachedWriterSchema(id: number): string | undefined {
    const refused = unknown.get(id);
    if (refused !== undefined && refused.until > now()) throw refused.error;
    return schemas.get(id);
  }

  async function fetchSchema(id: number): Promise<string> {
    try {
      const schema = await client.schemaText(id);
      schemas.set(id, schema);
      return schema;
    } catch (error) {
      if (error instanceof PoisonMessage) remember(id, error);
      throw error;
    }
  }

  function remember(id: number, error: PoisonMessage): void {
    if (unknown.size >= maxUnknownIds) unknown.clear();
    unknown.set(id, { error, until: now() + unknownForMs });
  }

  return {
    idOf: (topic) => remembered(ids, topic, () => client.idOf(subjectOf(config, topic), latestSchemaOf(topic))),
    cachedWriterSchema,
    learn: (id, schema) => void schemas.set(id, schema),
    writerSchema: async (id) => {
      const cached = cachedWriterSchema(id);
      if (cached !== undefined) return cached;
      // Many partitions may meet the same new id at once: one request serves them all.
      return remembered(fetching, id, () => fetchSchema(id).finally(() => fetching.delete(id)));
    },
  };
}

/** The promise of this key; one that fails is forgotten, so that the next caller asks again. */
function remembered<K, V>(cache: Map<K, Promise<V>>, key: K, ask: () => Promise<V>): Promise<V> {
  const known = cache.get(key);
  if (known !== undefined) return known;
  const asked = ask();
  cache.set(key, asked);
  asked.catch(() => cache.delete(key));
  return asked;
}

function subjectOf(config: Pick<KafkaConfig, 'topicPrefix'>, topic: EventTopic): string {
  return subjectNameOf(config, topics[topic].subject ?? `${topic}-value`);
}

function latestSchemaOf(topic: EventTopic): string {
  const latest = topics[topic].versions.at(-1);
  if (latest === undefined) throw new StopService(`The topic ${topic} has no schema.`, { code: 'CONFIGURATION' });
  return latest.schema;
}
