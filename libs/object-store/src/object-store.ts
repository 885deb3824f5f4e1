import type { ContentRef } from '@anabranch/contracts';
import { createFolderStore } from './folder-store.js';
import type { ObjectStoreConfig } from './object-store.config.js';

/** A small port to content that is too large, or too sensitive, to travel inside an event. */
export interface ObjectStore {
  /**
   * Stores the bytes under the key, durably: when it resolves, they survive a power cut. A key is written once: the same
   * bytes again are no fault (a redelivery), other bytes throw a plain Error. Throws `DependencyUnavailable`
   * when the store cannot be written.
   */
  put(key: string, bytes: Uint8Array): Promise<ContentRef>;
  /**
   * The bytes that a claim check of this tenant names, verified. Throws `PoisonMessage`: `CONTENT_MISSING` (no such
   * object, or the key lies outside the tenant), `CONTENT_MISMATCH` (length or digest differ);
   * `DependencyUnavailable` when the store cannot be read.
   */
  get(ref: ContentRef, tenantId: string): Promise<Buffer>;
  /** Whether an object lies under the key. */
  has(key: string): Promise<boolean>;
  /** Removes the object; one that is not there is no fault. */
  remove(key: string): Promise<void>;
  /** Resolves when the store can be written; else throws `DependencyUnavailable`. For readiness checks. */
  check(): Promise<void>;
}

/** Opens the store that the configuration names: a local folder. */
export function createObjectStore(config: ObjectStoreConfig): ObjectStore {
  return createFolderStore(config.objectStoreDir);
}
