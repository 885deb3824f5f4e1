import { DependencyUnavailable } from '@anabranch/failures';

// SQLSTATE: https://www.postgresql.org/docs/current/errcodes-appendix.html

/** Classes in which Postgres, not the statement, is in trouble: connection, resources, shutdown, its disk. */
const dependencyClasses = ['08', '53', '57', '58'];
/** Read-only while a standby takes over; the idle and transaction time-outs, after which the connection is gone. */
const dependencyStates = ['25006', '25P03', '25P04'];
/** Two transactions stood in each other's way: the same work, tried again, succeeds. */
const conflictStates = ['40001', '40P01', '55P03'];

/** The SQLSTATE of an error that Postgres reported; null for everything else. */
export function sqlStateOf(error: unknown): string | null {
  if (!(error instanceof Error) || !('severity' in error) || !('code' in error)) return null;
  return typeof error.code === 'string' && error.code.length === 5 ? error.code : null;
}

/** Whether trying the same transaction again is the answer, without counting as an attempt (semantics §8). */
export function isConflict(error: unknown): boolean {
  const state = sqlStateOf(error);
  return state !== null && conflictStates.includes(state);
}

/**
 * Whether the data is to blame: a value that Postgres cannot hold (22, 54), or a broken constraint (23). A row that is
 * there already (23505) is not: the locks rule it out, so it is a bug of ours.
 */
export function isInvalidData(error: unknown): boolean {
  return !isDuplicateRow(error) && ['22', '23', '54'].includes(sqlStateOf(error)?.slice(0, 2) ?? '');
}

/** Whether a row with this key was there already. */
export function isDuplicateRow(error: unknown): boolean {
  return sqlStateOf(error) === '23505';
}

/**
 * What a statement's failure means. Whatever is neither an answer of Postgres nor a mistake in our code is a broken
 * connection: the pool could not connect, the socket closed, an answer did not come in time.
 */
export function asFailure(error: unknown): unknown {
  if (error instanceof DependencyUnavailable || error instanceof TypeError || error instanceof RangeError) return error;
  const state = sqlStateOf(error);
  const isDown = state === null || dependencyStates.includes(state) || dependencyClasses.includes(state.slice(0, 2));
  if (!isDown) return error;
  return new DependencyUnavailable('postgres', `Postgres does not answer (${state ?? 'connection'}).`, {
    cause: error,
  });
}
