import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { parseJson } from '../documents/json-body.js';
import { Problem } from './problem.js';
import { validate } from './validate.js';

/** Far beyond any command. */
const maxMembers = 100;

/**
 * The small JSON body of a command; without a body, that of an empty object.
 * @throws Problem UNSUPPORTED_MEDIA_TYPE, INVALID_JSON or INVALID_REQUEST
 */
export function readCommandBody<S extends z.ZodType>(
  schema: S,
  { headers }: FastifyRequest,
  body: Buffer | undefined,
): z.infer<S> {
  if (body === undefined || body.length === 0) return validate(schema, {}, 'body');
  const mediaType = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  if (mediaType !== 'application/json') {
    const accepted = ['application/json'];
    throw new Problem('UNSUPPORTED_MEDIA_TYPE', 'Send it as application/json.', { extensions: { accepted } });
  }
  return validate(schema, parseJson(body, 'a JSON object', maxMembers), 'body');
}
