import { describe, expect, it } from '@jest/globals';
import { lz4Decompress } from '../src/kafkajs/compression/lz4.js';
import { snappyDecompress } from '../src/kafkajs/compression/snappy.js';

const text = Buffer.from('abcabcabcabcabcabc and the rest');
/** Twelve literals, then a copy that overlaps itself, then literals again; both formats by hand. */
const snappy = Buffer.concat([
  Buffer.from([31, 2 << 2]),
  text.subarray(0, 3),
  Buffer.from([(14 << 2) | 2, 3, 0, 12 << 2]),
  text.subarray(18),
]);
const lz4Block = Buffer.concat([
  Buffer.from([0x3b]),
  text.subarray(0, 3),
  Buffer.from([3, 0, 0xd0]),
  text.subarray(18),
]);

function lz4Frame(block: Buffer, size = block.length): Buffer {
  const frame = Buffer.alloc(11);
  frame.writeUInt32LE(0x184d2204, 0);
  frame.writeUInt8(0x60, 4);
  frame.writeUInt32LE(size, 7);
  return Buffer.concat([frame, block, Buffer.alloc(4)]);
}

describe('decompression', () => {
  it('reads a snappy block with and without the Java client’s stream around it', () => {
    const header = Buffer.from('82534e415050590000000001000000010000', 'hex');
    const stream = Buffer.concat([header, Buffer.from([0, snappy.length]), snappy]);
    expect([snappyDecompress(snappy), snappyDecompress(stream)]).toEqual([text, text]);
  });

  it('reads LZ4 frames, compressed or not, one after the other', () => {
    const stored = lz4Frame(text, text.length + 0x80000000);
    expect(lz4Decompress(lz4Frame(lz4Block))).toEqual(text);
    expect(lz4Decompress(Buffer.concat([stored, lz4Frame(lz4Block)]))).toEqual(Buffer.concat([text, text]));
  });

  it('refuses damaged input without allocating what it claims', () => {
    const hugeLiteral = Buffer.from([0xff, 0xff, 0xff, 0xff, 7, 63 << 2, 0xff, 0xff, 0xff, 0x7f, 1]);
    const copyBeforeStart = Buffer.from([4, (3 << 2) | 2, 9, 0]);
    const damaged = [hugeLiteral, copyBeforeStart, snappy.subarray(0, 4), Buffer.alloc(0)];
    for (const input of damaged) expect(() => snappyDecompress(input)).toThrow(/ends early|before the first/);
    expect(() => lz4Decompress(Buffer.from('not a frame'))).toThrow('no LZ4 frame');
    expect(() => lz4Decompress(lz4Frame(lz4Block).subarray(0, 15))).toThrow('ends early');
    const repeatForEver = Buffer.concat([Buffer.from([0x1f, 65, 1, 0]), Buffer.alloc(2 ** 21, 255), Buffer.from([0])]);
    expect(() => lz4Decompress(lz4Frame(repeatForEver))).toThrow('more than');
  });
});
