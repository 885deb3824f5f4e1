export { createDatabase, type Database, type DatabaseOptions, type Queryable, type Row } from './database.js';
export { databaseConfig, type DatabaseConfig } from './database.config.js';
export { createBatcher, type Batcher, type BatcherOptions } from './batcher.js';
export type { Log } from './log.js';
