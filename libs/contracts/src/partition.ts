const seed = 0x9747b28c;
const m = 0x5bd1e995;

/**
 * The partition of a key, as the Java client's default partitioner chooses it: murmur2 over the key's bytes, so that every
 * producer of ours sends a document to the same partition.
 * @see https://github.com/apache/kafka/blob/4.0.0/clients/src/main/java/org/apache/kafka/common/utils/Utils.java
 */
export function partitionOf(key: string | Buffer, partitions: number): number {
  const bytes = typeof key === 'string' ? Buffer.from(key, 'utf8') : key;
  return (murmur2(bytes) & 0x7fffffff) % partitions;
}

/** Murmur2, 32 bits, signed. Blocks are little-endian. */
export function murmur2(bytes: Buffer): number {
  const tail = bytes.length & ~3;
  let hash = seed ^ bytes.length;
  for (let at = 0; at < tail; at += 4) {
    let block = Math.imul(bytes.readInt32LE(at), m);
    block = Math.imul(block ^ (block >>> 24), m);
    hash = Math.imul(hash, m) ^ block;
  }
  if (tail < bytes.length) {
    for (let at = bytes.length - 1; at >= tail; at--) hash ^= bytes.readUInt8(at) << (8 * (at - tail));
    hash = Math.imul(hash, m);
  }
  hash = Math.imul(hash ^ (hash >>> 13), m);
  return hash ^ (hash >>> 15);
}
