import { QueryFailedError, TypeORMError } from 'typeorm';
import { asFailure } from './failures.js';

/** What TypeORM itself complains about is a mistake in an entity or a query; only failed queries come from Postgres. */
export function asTypeormFailure(error: unknown): unknown {
  const isMistake = error instanceof TypeORMError && !(error instanceof QueryFailedError);
  return isMistake ? error : asFailure(error);
}
