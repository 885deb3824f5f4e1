import avro, { type Type } from 'avsc';
import type { Tap } from './avro-tap.js';

// avsc doubles a long (zigzag) as a float, which is inexact from 2^52 on: there it silently writes and reads other numbers.
const exactBelow = 2 ** 52;

/** A long that keeps its value up to 2^53, and is refused beyond. */
export class ExactLong extends avro.types.LongType {
  _check(value: unknown, _flags: unknown, hook?: (value: unknown, type: Type) => void): boolean {
    const fits = Number.isSafeInteger(value);
    if (!fits) hook?.(value, this);
    return fits;
  }

  _read(tap: Tap): number {
    const start = tap.pos;
    const value = tap.readLong();
    if (Math.abs(value) < exactBelow) return value;
    tap.pos = start;
    const exact = Number(readBigLong(tap));
    if (!Number.isSafeInteger(exact)) throw new RangeError('a long is beyond 2^53, where JavaScript would round it');
    return exact;
  }

  _write(tap: Tap, value: unknown): void {
    if (!Number.isSafeInteger(value)) throw new RangeError('not a whole number within 2^53');
    if (Math.abs(value as number) < exactBelow) tap.writeLong(value as number);
    else writeBigLong(tap, BigInt(value as number));
  }
}

/** Avro's longs have 64 bits, so at most ten bytes of seven. */
const longMaxBytes = 10;

function readBigLong(tap: Tap): bigint {
  let zigzag = 0n;
  for (let index = 0; index < longMaxBytes; index++) {
    const byte = tap.buf[tap.pos++];
    if (byte === undefined) throw new RangeError('the body ends early');
    zigzag |= BigInt(byte & 0x7f) << BigInt(7 * index);
    if (byte < 0x80) return zigzag & 1n ? -(zigzag >> 1n) - 1n : zigzag >> 1n;
  }
  throw new RangeError('a long has more than ten bytes');
}

/** Past the end it moves on without writing, as avsc does: the length that is missing is what it reports. */
function writeBigLong(tap: Tap, value: bigint): void {
  let rest = value >= 0n ? value << 1n : (-value << 1n) - 1n;
  for (; rest >= 0x80n; rest >>= 7n) tap.buf[tap.pos++] = Number(rest & 0x7fn) | 0x80;
  tap.buf[tap.pos++] = Number(rest);
}

/** An int that has no more than 32 bits, whatever was written. */
export class ExactInt extends avro.types.IntType {
  _read(tap: Tap): number {
    const value = tap.readLong();
    if (value !== (value | 0)) throw new RangeError('an int is beyond 32 bits');
    return value;
  }
}

const plainString = new avro.types.StringType() as unknown as { _write(tap: Tap, value: unknown): void };

/** Lone surrogates have no UTF-8; avsc would write bytes that strict readers (Python, Go) refuse. */
export class WellFormedString extends avro.types.StringType {
  _write(tap: Tap, value: unknown): void {
    plainString._write(tap, typeof value === 'string' && !value.isWellFormed() ? value.toWellFormed() : value);
  }
}
