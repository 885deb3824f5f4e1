/** The part of avsc's cursor that our types use: internal to avsc, which is pinned; the unit tests hold the shape. */
export interface Tap {
  buf: Buffer;
  pos: number;
  readLong(): number;
  writeLong(value: number): void;
  readString(): string;
  skipString(): void;
}
