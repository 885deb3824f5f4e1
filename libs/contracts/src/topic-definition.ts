import type { TopicName } from './generated/topics.generated.js';

/** How the registry judges a new version of a subject. */
export type Compatibility = 'BACKWARD' | 'BACKWARD_TRANSITIVE' | 'FULL' | 'FULL_TRANSITIVE';

/** One version of a topic's schema; `schema` is the text that the registry gets. */
export interface SchemaVersion {
  readonly version: number;
  readonly schema: string;
}

/** A topic of the platform, as its folder under `schemas/` describes it. */
export interface TopicDefinition {
  readonly name: TopicName;
  readonly description: string;
  /** What the record key is. */
  readonly key: string;
  /** The registry's subject; null where records are bytes as they were. */
  readonly subject: string | null;
  readonly compatibility: Compatibility | null;
  readonly partitions: number;
  readonly retentionMs: number;
  readonly producers: readonly string[];
  readonly consumers: readonly string[];
  /** The analysis whose outcomes the topic carries; null elsewhere. */
  readonly analysis: string | null;
  /** The analysis whose commands the topic carries; null elsewhere. */
  readonly requests: string | null;
  /** Full name and version of the analysis' result, for the catalogue and `document.enriched`; null elsewhere. */
  readonly resultSchema: string | null;
  readonly latestVersion: number | null;
  /** All versions, oldest first. */
  readonly versions: readonly SchemaVersion[];
}
