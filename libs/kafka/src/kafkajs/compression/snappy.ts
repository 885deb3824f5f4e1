import { CompressedInput, Decompressed } from './decompressed.js';

/** What the Java client writes before its blocks. */
const streamMagic = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0]);
const streamHeaderBytes = 16;

/**
 * Decompresses snappy, as one block or in the stream format of the Java client.
 * @see https://github.com/google/snappy/blob/main/format_description.txt
 */
export function snappyDecompress(input: Buffer): Buffer {
  const output = new Decompressed();
  if (!input.subarray(0, streamMagic.length).equals(streamMagic)) {
    decompressBlock(input, output);
    return output.bytes();
  }
  const stream = new CompressedInput(input.subarray(streamHeaderBytes));
  while (!stream.isAtEnd) decompressBlock(stream.take(stream.take(4).readUInt32BE()), output);
  return output.bytes();
}

function decompressBlock(bytes: Buffer, output: Decompressed): void {
  const block = new CompressedInput(bytes);
  // The claimed length, a varint, is not needed.
  while (block.byte() > 0x7f);
  while (!block.isAtEnd) {
    const tag = block.byte();
    const kind = tag & 3;
    if (kind === 0) output.literal(block.take(literalLength(block, tag >> 2)));
    else if (kind === 1) output.copy(((tag >> 5) << 8) | block.byte(), ((tag >> 2) & 7) + 4);
    else output.copy(block.number(kind === 2 ? 2 : 4), (tag >> 2) + 1);
  }
}

/** Up to 60 bytes stand in the tag; above, the tag says how many bytes hold the length. */
function literalLength(block: CompressedInput, code: number): number {
  return code < 60 ? code + 1 : block.number(code - 59) + 1;
}
