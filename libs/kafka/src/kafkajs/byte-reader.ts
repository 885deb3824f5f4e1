/** Reads one value after the other from bytes in Kafka's encodings; what reads past the end is an error. */
export class ByteReader {
  private position = 0;

  constructor(private readonly bytes: Buffer) {}

  get at(): number {
    return this.position;
  }

  get remaining(): number {
    return this.bytes.length - this.position;
  }

  int8(): number {
    return this.bytes.readInt8(this.move(1));
  }

  int16(): number {
    return this.bytes.readInt16BE(this.move(2));
  }

  int32(): number {
    return this.bytes.readInt32BE(this.move(4));
  }

  int64(): bigint {
    return this.bytes.readBigInt64BE(this.move(8));
  }

  /** Without copying. */
  take(count: number): Buffer {
    const from = this.move(count);
    return this.bytes.subarray(from, this.position);
  }

  /** Length, then bytes; null when the length is negative. */
  string(): string | null {
    const length = this.int16();
    return length < 0 ? null : this.take(length).toString('utf8');
  }

  skip(count: number): void {
    this.move(count);
  }

  /** A zigzag number of up to five bytes. */
  varint(): number {
    // Nearly all have one byte.
    const first = this.byte();
    if (first < 0x80) return (first >>> 1) ^ -(first & 1);
    let value = first & 0x7f;
    for (let shift = 7; ; shift += 7) {
      const next = this.byte();
      value |= (next & 0x7f) << shift;
      if (next < 0x80) return (value >>> 1) ^ -(value & 1);
      if (shift > 28) throw new RangeError('a number has more than five bytes');
    }
  }

  /** A zigzag number of up to ten bytes; exact within 2^53, which times and offsets are. */
  varlong(): number {
    const first = this.byte();
    // The lowest bit is the sign; without it the rest is exact as far as numbers are.
    let magnitude = (first & 0x7f) >>> 1;
    let scale = 0x40;
    for (let byte = first; byte >= 0x80; scale *= 0x80) {
      if (scale > 2 ** 62) throw new RangeError('a number has more than ten bytes');
      byte = this.byte();
      magnitude += (byte & 0x7f) * scale;
    }
    return first & 1 ? -magnitude - 1 : magnitude;
  }

  /** Length, then bytes, without copying; null when the length is negative. */
  varbytes(): Buffer | null {
    const length = this.varint();
    return length < 0 ? null : this.take(length);
  }

  private byte(): number {
    const value = this.bytes[this.position++];
    if (value === undefined) throw new RangeError('the bytes end early');
    return value;
  }

  /** Moves on; returns where it was. */
  private move(count: number): number {
    const from = this.position;
    if (count > this.remaining) throw new RangeError('the bytes end early');
    this.position = from + count;
    return from;
  }
}
