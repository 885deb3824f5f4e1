import { zstdDecompressSync } from 'node:zlib';
import kafkajs from 'kafkajs';
import { lz4Decompress } from './lz4.js';
import { snappyDecompress } from './snappy.js';

let isRegistered = false;

/** Lets kafkajs read what foreign producers compress, once per process; gzip it can. We compress nothing. */
export function registerCodecs(): void {
  if (isRegistered) return;
  const { CompressionTypes: types, CompressionCodecs: codecs } = kafkajs;
  codecs[types.Snappy] = readOnly('snappy', snappyDecompress);
  codecs[types.LZ4] = readOnly('lz4', lz4Decompress);
  codecs[types.ZSTD] = readOnly('zstd', zstdDecompressSync);
  isRegistered = true;
}

function readOnly(name: string, decompress: (input: Buffer) => Buffer) {
  return () => ({
    compress: () => Promise.reject(new Error(`Nothing of ours is compressed with ${name}.`)),
    decompress: (input: Buffer) => Promise.resolve(readBatch(name, () => decompress(input))),
  });
}

/**
 * A batch that cannot be read stands before everything behind it, and no record of it can be dead-lettered. Not to be
 * retried: kafkajs then gives up instead of fetching the same batch for ever, and the service stops with this message.
 */
function readBatch(name: string, decompress: () => Buffer): Buffer {
  try {
    return decompress();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw Object.assign(new Error(`a batch that is compressed with ${name} cannot be read: ${reason}`, { cause }), {
      retriable: false,
    });
  }
}
