/** More than a batch of the largest size that brokers allow grows to in practice; what claims more is refused. */
export const maxBytes = 256 * 1024 * 1024;

/** The output of a decompressor: grows with what is written, never with what the input claims. */
export class Decompressed {
  private buffer = Buffer.allocUnsafe(64 * 1024);
  private length = 0;

  /** Bytes as they are. */
  literal(bytes: Buffer): void {
    this.reserve(bytes.length);
    this.length += bytes.copy(this.buffer, this.length);
  }

  /** Repeats `count` bytes from `distance` before the end; they may overlap with what is being written. */
  copy(distance: number, count: number): void {
    if (distance <= 0 || distance > this.length) throw new Error('a copy begins before the first byte');
    this.reserve(count);
    const end = this.length + count;
    for (; this.length < end; this.length++) this.buffer[this.length] = this.buffer[this.length - distance] as number;
  }

  bytes(): Buffer {
    return this.buffer.subarray(0, this.length);
  }

  private reserve(count: number): void {
    const needed = this.length + count;
    if (needed > maxBytes) throw new Error(`more than ${maxBytes} bytes`);
    if (needed <= this.buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(needed, 2 * this.buffer.length));
    this.buffer.copy(larger, 0, 0, this.length);
    this.buffer = larger;
  }
}

/** Reads a compressed input from its beginning; whatever reads past its end is an error. */
export class CompressedInput {
  at = 0;

  constructor(private readonly input: Buffer) {}

  get isAtEnd(): boolean {
    return this.at >= this.input.length;
  }

  byte(): number {
    const value = this.input[this.at++];
    if (value === undefined) throw new Error('it ends early');
    return value;
  }

  /** A little-endian number of so many bytes. */
  number(bytes: number): number {
    let value = 0;
    for (let shift = 0; shift < bytes; shift++) value += this.byte() * 2 ** (8 * shift);
    return value;
  }

  take(count: number): Buffer {
    const bytes = this.input.subarray(this.at, this.at + count);
    if (bytes.length < count) throw new Error('it ends early');
    this.at += count;
    return bytes;
  }
}
