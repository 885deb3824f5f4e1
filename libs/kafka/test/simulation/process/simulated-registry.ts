import { DependencyUnavailable, PoisonMessage } from '@anabranch/failures';
import type { DecodeRecord } from '../../../src/consumer/intake.js';
import type { ProcessContext } from './world.js';

/** Decodes what is planned to be decodable; schemas are fetched once per process, when the registry is there. */
export function createDecoder(context: ProcessContext): DecodeRecord {
  const { world, after } = context;
  const known = new Set(['known']);
  return (record) => {
    const { encoding, key, priority, behaviour } = world.planOf(record);
    if (behaviour === 'ends its process when it is read') return context.crash();
    if (encoding === 'garbage') throw new PoisonMessage('DECODE_FAILED', 'garbage');
    if (known.has(encoding)) {
      const order = `${record.topic}/${String(record.key)}`;
      return { event: String(record.value), key: order, tenant: `tenant-${key % 2}`, priority };
    }
    const answer = Promise.withResolvers<void>();
    const { random } = world;
    after(world.isOut('slow registry') ? random.between(500, 6_000) : random.between(1, 50), () => {
      if (world.isOut('registry')) return answer.reject(new DependencyUnavailable('registry', 'down'));
      if (encoding === 'unknown') return answer.reject(new PoisonMessage('UNKNOWN_SCHEMA_ID', 'unknown'));
      known.add(encoding);
      answer.resolve();
    });
    return answer.promise;
  };
}
