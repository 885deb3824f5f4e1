/** A piece of a string, in UTF-16 units, end exclusive. */
export interface Span {
  begin: number;
  end: number;
}
