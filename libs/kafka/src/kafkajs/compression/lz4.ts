import { CompressedInput, Decompressed } from './decompressed.js';

const frameMagic = 0x184d2204;
const minMatch = 4;

/** The bits of a frame's first byte. */
const has = { blockChecksum: 0x10, contentSize: 0x08, contentChecksum: 0x04, dictionary: 0x01 };
const isUncompressed = 0x80000000;

/**
 * Decompresses LZ4 frames. Checksums are skipped: the broker has checked the batch's own.
 * @see https://github.com/lz4/lz4/blob/dev/doc/lz4_Frame_format.md
 */
export function lz4Decompress(input: Buffer): Buffer {
  const frames = new CompressedInput(input);
  const output = new Decompressed();
  while (!frames.isAtEnd) decompressFrame(frames, output);
  return output.bytes();
}

function decompressFrame(input: CompressedInput, output: Decompressed): void {
  if (input.number(4) !== frameMagic) throw new Error('it is no LZ4 frame');
  const flags = input.byte();
  // The block size, then what the flags announce, then the header's checksum.
  input.take(1 + (flags & has.contentSize ? 8 : 0) + (flags & has.dictionary ? 4 : 0) + 1);
  for (let size = input.number(4); size !== 0; size = input.number(4)) {
    if (size >= isUncompressed) output.literal(input.take(size - isUncompressed));
    else decompressBlock(new CompressedInput(input.take(size)), output);
    if (flags & has.blockChecksum) input.take(4);
  }
  if (flags & has.contentChecksum) input.take(4);
}

function decompressBlock(block: CompressedInput, output: Decompressed): void {
  while (!block.isAtEnd) {
    const token = block.byte();
    output.literal(block.take(lengthOf(block, token >> 4)));
    // The last sequence of a block is literals only.
    if (block.isAtEnd) return;
    const distance = block.number(2);
    output.copy(distance, lengthOf(block, token & 15) + minMatch);
  }
}

/** Fifteen means that more follows, byte by byte, until one is below 255. */
function lengthOf(block: CompressedInput, code: number): number {
  let length = code;
  if (code < 15) return length;
  for (let next = 255; next === 255; length += next) next = block.byte();
  return length;
}
