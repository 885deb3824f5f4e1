import {
  QueryFailedError,
  QueryRunnerAlreadyReleasedError,
  QueryRunnerProviderAlreadyReleasedError,
  TypeORMError,
} from 'typeorm';
import { DependencyUnavailable } from '@anabranch/failures';
import { asFailure } from './failures.js';

/**
 * What TypeORM itself complains about is a mistake in an entity or a query; only failed queries come from Postgres. One
 * complaint is none: it gives a connection up that broke between two statements of a transaction, and refuses the next one.
 */
export function asTypeormFailure(error: unknown): unknown {
  if (isBrokenInBetween(error))
    return new DependencyUnavailable('postgres', 'Postgres does not answer (connection).', { cause: error });
  const isMistake = error instanceof TypeORMError && !(error instanceof QueryFailedError);
  return isMistake ? error : asFailure(error);
}

function isBrokenInBetween(error: unknown): boolean {
  return error instanceof QueryRunnerAlreadyReleasedError || error instanceof QueryRunnerProviderAlreadyReleasedError;
}
