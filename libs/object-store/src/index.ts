export { createObjectStore, type ObjectStore } from './object-store.js';
export { objectKey, type ObjectName } from './object-key.js';
export { objectStoreConfig, type ObjectStoreConfig } from './object-store.config.js';
