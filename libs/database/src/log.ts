/** The part of a structured logger that this library uses. Fields never hold text of a document. */
export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
