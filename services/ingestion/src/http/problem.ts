// Every error that leaves the API is one of these codes. docs/api.md lists them all, which a test checks.

/** All problems: HTTP status, and a title that does not change from one occurrence to the next (RFC 9457). */
export const problems = {
  INVALID_REQUEST: { status: 400, title: 'The request does not follow its schema' },
  INVALID_JSON: { status: 400, title: 'The body is not JSON' },
  INVALID_ENCODING: { status: 400, title: 'The body is not in the character set that it declares' },
  MISSING_TEXT: { status: 400, title: 'The document has no text field' },
  UNAUTHENTICATED: { status: 401, title: 'An API key is needed' },
  MISSING_SCOPE: { status: 403, title: 'The API key may not do this' },
  ROUTE_NOT_FOUND: { status: 404, title: 'There is no such address' },
  JOB_NOT_FOUND: { status: 404, title: 'There is no such job' },
  ANALYSIS_NOT_FOUND: { status: 404, title: 'The job has no such analysis' },
  DOCUMENT_NOT_FOUND: { status: 404, title: 'There is no such document' },
  RULES_NOT_FOUND: { status: 404, title: 'There are no such rules' },
  METHOD_NOT_ALLOWED: { status: 405, title: 'The address does not take this method' },
  RESULT_NOT_READY: { status: 409, title: 'The job is not settled yet' },
  JOB_SETTLED: { status: 409, title: 'The job is settled in another way' },
  RUN_MOVED: { status: 409, title: 'The analysis has a newer run' },
  IDEMPOTENCY_KEY_IN_USE: { status: 409, title: 'The first request of the key is not answered yet' },
  TOO_MANY_RULES: { status: 409, title: 'There are as many of this kind as there may be' },
  CONTENT_UNREADABLE: { status: 410, title: 'What was stored cannot be read any more' },
  VERSION_MOVED: { status: 412, title: 'The rules have another version' },
  DOCUMENT_TOO_LARGE: { status: 413, title: 'The document is too large' },
  RULES_TOO_LARGE: { status: 413, title: 'The rules are too large' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, title: 'The media type is not supported' },
  UNSUPPORTED_CONTENT_ENCODING: { status: 415, title: 'The content encoding is not supported' },
  UNSUPPORTED_CHARSET: { status: 415, title: 'The character set is not supported' },
  IDEMPOTENCY_KEY_REUSED: { status: 422, title: 'The key was used for another request' },
  UNKNOWN_ANALYSIS: { status: 422, title: 'There is no such analysis' },
  UNREADABLE_HTML: { status: 422, title: 'The HTML cannot be read' },
  TENANT_LIMIT_REACHED: { status: 429, title: 'A limit of the tenant is reached' },
  REQUEST_REJECTED: { status: 400, title: 'The request cannot be handled' },
  OVERLOADED: { status: 503, title: 'Too much is being received at once' },
  BACKLOG_FULL: { status: 503, title: 'Too much waits to be published' },
  DEPENDENCY_UNAVAILABLE: { status: 503, title: 'A part that this needs is not available' },
  INTERNAL_ERROR: { status: 500, title: 'Something went wrong on our side' },
} as const satisfies Record<string, { status: number; title: string }>;

export type ProblemCode = keyof typeof problems;

/** The body of an error response, `application/problem+json`; extension members stand beside the fixed ones. */
export interface ProblemBody {
  type: string;
  title: string;
  status: number;
  detail: string;
  instance: string;
  code: ProblemCode;
  [extension: string]: unknown;
}

interface ProblemOptions {
  /** Further members of the body, such as the names that are known. */
  extensions?: Readonly<Record<string, unknown>>;
  /** Response headers, such as Retry-After. */
  headers?: Readonly<Record<string, string>>;
  /** Another status than the code's own; only for what the framework rejected. */
  status?: number;
  cause?: unknown;
}

/** Thrown anywhere below a route; the filter renders it. `detail` says what to do, and never holds document text. */
export class Problem extends Error {
  override readonly name = 'Problem';

  constructor(
    readonly code: ProblemCode,
    readonly detail: string,
    readonly options: ProblemOptions = {},
  ) {
    super(detail, { cause: options.cause });
  }

  /** HTTP status of the response. */
  get status(): number {
    return this.options.status ?? problems[this.code].status;
  }

  /** The response body. `path` is the request's path, without its query, which may hold what must not be repeated. */
  toBody(path: string): ProblemBody {
    return {
      type: problemType(this.code),
      title: problems[this.code].title,
      status: this.status,
      detail: this.detail,
      instance: path,
      code: this.code,
      ...this.options.extensions,
    };
  }
}

/** The `type` of a code, for example `urn:anabranch:problem:result-not-ready`. */
export function problemType(code: ProblemCode): string {
  return `urn:anabranch:problem:${code.toLowerCase().replaceAll('_', '-')}`;
}
