import type { TopicDefinition } from '@anabranch/contracts';
import { DependencyUnavailable, StopService } from '@anabranch/failures';
import { subjectNameOf, type KafkaConfig } from '../kafka-config.js';

/** A schema as the registry knows it now. */
export interface RegisteredSchema {
  readonly subject: string;
  readonly version: number;
  readonly id: number;
}

/** The steps of deployment that write to the registry. */
export interface RegistryAdmin {
  /**
   * Sets each subject's compatibility, then registers its versions, oldest first. What is there already stays as it is.
   * @throws StopService with the registry's reason when it refuses a version, DependencyUnavailable
   */
  registerSchemas(definitions: readonly TopicDefinition[]): Promise<RegisteredSchema[]>;
  /** The subjects whose latest version here is not registered there. */
  missingSchemas(definitions: readonly TopicDefinition[]): Promise<string[]>;
}

/** Told of each schema that was found, with its id. */
export type SchemaListener = (id: number, schema: string) => void;

const timeoutMs = 10_000;
const contentType = 'application/vnd.schemaregistry.v1+json';

/**
 * Over plain HTTP: the client library's `register` leaves a new subject open until its first version is in, and refuses
 * to change the compatibility of one that exists. The global level is never touched.
 * @see https://docs.confluent.io/platform/current/schema-registry/develop/api.html
 */
export function createRegistryAdmin(
  config: Pick<KafkaConfig, 'registryUrl' | 'topicPrefix'>,
  onSchema?: SchemaListener,
): RegistryAdmin {
  const call = callerOf(config);

  async function registerTopic(definition: TopicDefinition): Promise<RegisteredSchema[]> {
    if (definition.subject === null) return [];
    const subject = subjectNameOf(config, definition.subject);
    const path = encodeURIComponent(subject);
    const setCompatibility = () => call('PUT', `/config/${path}`, { compatibility: definition.compatibility });
    const first = await setCompatibility();
    // Two deployments at once: somebody has set it between the registry's look and its write.
    const compatibility = first.status === 409 ? await setCompatibility() : first;
    if (!compatibility.ok) throw await refusal(compatibility, `the compatibility of ${subject}`);
    const registered: RegisteredSchema[] = [];
    for (const { version, schema } of definition.versions) {
      const response = await call('POST', `/subjects/${path}/versions`, { schema });
      if (!response.ok) throw await refusal(response, `version ${version} of ${subject}`);
      const { id } = (await response.json()) as { id: number };
      registered.push({ subject, version, id });
    }
    return registered;
  }

  async function isMissing(definition: TopicDefinition): Promise<string | undefined> {
    const latest = definition.versions.at(-1);
    if (definition.subject === null || latest === undefined) return undefined;
    const subject = subjectNameOf(config, definition.subject);
    const response = await call('POST', `/subjects/${encodeURIComponent(subject)}`, { schema: latest.schema });
    if (response.status === 404 && (await saysWhatIsMissing(response))) return subject;
    if (!response.ok) throw await refusal(response, subject);
    const { id } = await answerOf(response);
    if (id !== undefined) onSchema?.(id, latest.schema);
    return undefined;
  }

  return {
    registerSchemas: async (definitions) => {
      const registered: RegisteredSchema[] = [];
      for (const definition of definitions) registered.push(...(await registerTopic(definition)));
      return registered;
    },
    missingSchemas: async (definitions) => {
      const missing = await Promise.all(definitions.map(isMissing));
      return missing.filter((subject) => subject !== undefined);
    },
  };
}

/** The API's 404 has a code of its own; another comes from an address where there is no such API. */
async function saysWhatIsMissing(response: Response): Promise<boolean> {
  return typeof (await answerOf(response)).error_code === 'number';
}

async function answerOf(response: Response): Promise<{ id?: number; error_code?: unknown }> {
  return ((await response
    .clone()
    .json()
    .catch(() => null)) ?? {}) as { id?: number; error_code?: unknown };
}

type Call = (method: string, path: string, body?: object) => Promise<Response>;

function callerOf({ registryUrl }: Pick<KafkaConfig, 'registryUrl'>): Call {
  return async (method, path, body) => {
    try {
      return await fetch(`${registryUrl.replace(/\/$/, '')}${path}`, {
        method,
        headers: { 'content-type': contentType, accept: contentType },
        body: body === undefined ? null : JSON.stringify(body),
        signal: AbortSignal.timeout(timeoutMs),
      });
    } catch (error) {
      const message = `The schema registry at ${registryUrl} does not answer.`;
      throw new DependencyUnavailable('registry', message, { cause: error });
    }
  };
}

async function refusal(response: Response, what: string): Promise<Error> {
  const text = (await response.text()).slice(0, 1_000);
  const reason =
    response.status === 404
      ? `There is no schema registry of Confluent’s API at the registry’s URL, or its path is missing there: 404 for ${what}: ${text}`
      : `The schema registry answers ${response.status} for ${what}: ${text}`;
  return response.status >= 500
    ? new DependencyUnavailable('registry', reason)
    : new StopService(reason, { code: 'CONFIGURATION' });
}
