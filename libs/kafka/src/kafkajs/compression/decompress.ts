import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { maxBytes } from './decompressed.js';
import { lz4Decompress } from './lz4.js';
import { snappyDecompress } from './snappy.js';

/** By the number in a batch's attributes. */
export const compressionNames: readonly (string | undefined)[] = ['none', 'gzip', 'snappy', 'lz4', 'zstd'];

const limit = { maxOutputLength: maxBytes };

const decompressors: readonly (((input: Buffer) => Buffer) | undefined)[] = [
  (input) => input,
  (input) => gunzipSync(input, limit),
  snappyDecompress,
  lz4Decompress,
  (input) => zstdDecompressSync(input, limit),
];

/**
 * Decompresses what a foreign producer, or the broker, has compressed; we compress nothing.
 * @throws Error for damaged input, and for what would grow beyond 256 MiB
 */
export function decompress(compression: number, input: Buffer): Buffer {
  const decompressor = decompressors[compression];
  if (decompressor === undefined) throw new Error('nobody knows it');
  return decompressor(input);
}
