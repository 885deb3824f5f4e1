import avro from 'avsc';
import type { Tap } from './avro-tap.js';

// avsc reads past the end of a buffer without a word and checks only at the end. A record of a few bytes that claims a list
// of 2^40 items, or a block of negative length to skip, would so loop or allocate until the process dies. These types check
// where a claim is made; scalars need no check, they read a bounded number of bytes. The cost is one comparison an item.

interface InternalType {
  _read(tap: Tap): unknown;
  _skip(tap: Tap): void;
}

type Bounded = InternalType & { itemsType: InternalType; valuesType: InternalType };

function remaining(tap: Tap): number {
  const left = tap.buf.length - tap.pos;
  if (!(left >= 0)) throw new RangeError('the body ends early');
  return left;
}

/** The items of the next block. Each takes a byte or more (see `refuseUnbounded`), so more than bytes are left is a lie. */
function readCount(tap: Tap): number {
  const claimed = tap.readLong();
  const count = Math.abs(claimed);
  if (!(count <= remaining(tap))) throw new RangeError('a block claims more items than bytes are left');
  if (claimed < 0) tap.readLong();
  return count;
}

/** Skips blocks item by item, whatever length in bytes they claim: the claim could lead backwards, for ever. */
function skipBlocks(tap: Tap, skipItem: () => void): void {
  for (let count = readCount(tap); count > 0; count = readCount(tap)) {
    for (let left = count; left > 0; left--) {
      skipItem();
      remaining(tap);
    }
  }
}

/** A list whose claimed length is held against the bytes that are left. */
export class BoundedArray extends avro.types.ArrayType {
  /** Called with the resolver as `this` when versions differ: both have `itemsType`. */
  _read(this: Bounded, tap: Tap): unknown[] {
    const items: unknown[] = [];
    for (let count = readCount(tap); count > 0; count = readCount(tap)) {
      for (let left = count; left > 0; left--) {
        items.push(this.itemsType._read(tap));
        remaining(tap);
      }
    }
    return items;
  }

  _skip(this: Bounded, tap: Tap): void {
    skipBlocks(tap, () => this.itemsType._skip(tap));
  }
}

/** A map whose claimed length is held against the bytes that are left. */
export class BoundedMap extends avro.types.MapType {
  _read(this: Bounded, tap: Tap): Record<string, unknown> {
    const entries: Record<string, unknown> = {};
    for (let count = readCount(tap); count > 0; count = readCount(tap)) {
      for (let left = count; left > 0; left--) {
        setEntry(entries, tap.readString(), this.valuesType._read(tap));
        remaining(tap);
      }
    }
    return entries;
  }

  _skip(this: Bounded, tap: Tap): void {
    skipBlocks(tap, () => {
      tap.skipString();
      this.valuesType._skip(tap);
    });
  }
}

/** A plain assignment to `__proto__` would set the object's prototype instead of an entry. */
function setEntry(entries: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(entries, key, { value, enumerable: true, configurable: true, writable: true });
  } else {
    entries[key] = value;
  }
}
