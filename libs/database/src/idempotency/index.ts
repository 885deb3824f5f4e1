export {
  IdempotencyKeyInUse,
  IdempotencyKeyReused,
  isKeyAnswered,
  sweepIdempotencyKeys,
  type IdempotencyKey,
} from './keys.js';
