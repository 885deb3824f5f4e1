import { HttpException } from '@nestjs/common';
import { DependencyUnavailable } from '@anabranch/failures';
import { documentTooLarge, unsupportedMediaType } from '../documents/read-body.js';
import { rulesTooLarge, rulesUnsupported } from '../rules/read-definition.js';
import { Problem } from './problem.js';

const retryAfterSeconds = 5;

/** What surrounds an error. */
export interface ErrorContext {
  /** Methods that the address takes; empty when there is no such address. */
  methods: readonly string[];
  /** Whether the address takes documents; the other bodies are rules. */
  takesDocuments: boolean;
  /** Limit of a document in bytes. */
  maxBytes: number;
}

/** The problem that an error becomes, whoever threw it: us, Nest, Fastify, a dependency or a bug. */
export function problemOf(error: unknown, context: ErrorContext): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof DependencyUnavailable) return unavailable(error);
  const status = statusOf(error);
  if (status === 404) return noRoute(context.methods);
  if (status === 413) return context.takesDocuments ? documentTooLarge(context.maxBytes) : rulesTooLarge();
  if (status === 415) return context.takesDocuments ? unsupportedMediaType() : rulesUnsupported();
  if (status >= 400 && status < 500) {
    // The framework's message may quote the request, so it is not repeated.
    return new Problem('REQUEST_REJECTED', 'The request is malformed. Compare it with /openapi.json.', {
      status,
      cause: error,
    });
  }
  return new Problem(
    'INTERNAL_ERROR',
    'This is a fault of the service. Try again; if it stays, report the X-Request-Id of this response.',
    { cause: error },
  );
}

function unavailable(error: DependencyUnavailable): Problem {
  return new Problem(
    'DEPENDENCY_UNAVAILABLE',
    `${error.dependency} is not available, so it is not known whether anything was accepted. Send the same request again later.`,
    {
      headers: { 'retry-after': String(retryAfterSeconds) },
      extensions: { dependency: error.dependency },
      cause: error,
    },
  );
}

function noRoute(methods: readonly string[]): Problem {
  if (methods.length === 0) {
    return new Problem('ROUTE_NOT_FOUND', 'There is nothing at this address. /openapi.json lists all addresses.');
  }
  const allow = methods.join(', ');
  return new Problem('METHOD_NOT_ALLOWED', `This address takes ${allow}. Use one of them.`, {
    headers: { allow },
    extensions: { allowed: methods },
  });
}

/** Fastify's errors carry `statusCode`, and so do those of its plugins. */
function statusOf(error: unknown): number {
  if (error instanceof HttpException) return error.getStatus();
  const isCoded = typeof error === 'object' && error !== null && 'statusCode' in error;
  return isCoded && typeof error.statusCode === 'number' ? error.statusCode : 500;
}
