/** A cursor that none of our pages gave. */
export class InvalidCursor extends Error {
  override readonly name = 'InvalidCursor';
}

/** The last row of a page: times are stored to the millisecond, so the pair compares exactly. */
export interface Position {
  createdAt: Date;
  id: string;
}

/** Opaque to clients. */
export function encodeCursor({ createdAt, id }: Position): string {
  return Buffer.from(`${createdAt.getTime()} ${id}`, 'latin1').toString('base64url');
}

/** @throws InvalidCursor */
export function decodeCursor(cursor: string): Position {
  const text = Buffer.from(cursor, 'base64url').toString('latin1');
  const [, epochMs, id] = /^(\d{1,15}) ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/.exec(text) ?? [];
  if (epochMs === undefined || id === undefined) throw new InvalidCursor('The cursor is none that a page gave.');
  return { createdAt: new Date(Number(epochMs)), id };
}
