export { IdempotencyKeyInUse, IdempotencyKeyReused, sweepIdempotencyKeys, type IdempotencyKey } from './keys.js';
