import { createHash } from 'node:crypto';

/** The bytes that a released schema is frozen by, and that the registry gets: without the file's white space. */
export const canonicalText = (schema) => JSON.stringify(schema);

/** SHA-256 of a schema's canonical bytes, lower-case hex. */
export const checksumOf = (schema) => createHash('sha256').update(canonicalText(schema), 'utf8').digest('hex');
