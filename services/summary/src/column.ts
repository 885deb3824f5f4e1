/** Whole numbers in a row, four bytes each, outside the heap: a long document has a million sentences and more. */
export interface Column {
  readonly length: number;
  at(index: number): number;
  push(value: number): void;
  set(index: number, value: number): void;
  /** The numbers, as they are now. */
  toArray(): Int32Array;
}

const firstCapacity = 1_024;

/** An empty column. */
export function createColumn(): Column {
  let values = new Int32Array(firstCapacity);
  let length = 0;
  return {
    get length() {
      return length;
    },
    at: (index) => values[index] ?? 0,
    push(value) {
      if (length === values.length) {
        const larger = new Int32Array(2 * length);
        larger.set(values);
        values = larger;
      }
      values[length] = value;
      length += 1;
    },
    set(index, value) {
      values[index] = value;
    },
    toArray: () => values.slice(0, length),
  };
}
