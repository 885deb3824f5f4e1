import { DependencyUnavailable } from '@anabranch/failures';
import { describe, expect, test } from '@jest/globals';
import {
  QueryFailedError,
  QueryRunnerAlreadyReleasedError,
  QueryRunnerProviderAlreadyReleasedError,
  TypeORMError,
} from 'typeorm';
import { asFailure, isConflict, isInvalidData } from '../src/failures.js';
import { asTypeormFailure } from '../src/typeorm-failures.js';

const answer = (code: string): Error => Object.assign(new Error('reported'), { severity: 'ERROR', code });
const system = (code: string): Error => Object.assign(new Error('connect'), { code });

describe('what a failed statement means', () => {
  test.each(['08006', '53300', '53100', '57P01', '57P03', '57014', '58030', '25006', '25P03'])(
    'SQLSTATE %s: Postgres is in trouble, intake pauses',
    (code) => expect(asFailure(answer(code))).toMatchObject({ dependency: 'postgres', code: 'DEPENDENCY_UNAVAILABLE' }),
  );

  test.each([system('ECONNREFUSED'), system('ECONNRESET'), new Error('Connection terminated unexpectedly')])(
    'no answer: %p is a broken connection',
    (error) => expect(asFailure(error)).toBeInstanceOf(DependencyUnavailable),
  );

  test.each([answer('42P01'), answer('22P05'), answer('23505'), answer('40P01'), new TypeError('bug')])(
    '%p stays what it is',
    (error) => expect(asFailure(error)).toBe(error),
  );

  test('what TypeORM complains about is a mistake of ours; a query that it could not send is not', () => {
    const mistake = new TypeORMError('bug');
    expect(asTypeormFailure(mistake)).toBe(mistake);
    const unsent = new QueryFailedError('SELECT 1', [], system('ECONNREFUSED'));
    expect(asTypeormFailure(unsent)).toBeInstanceOf(DependencyUnavailable);
  });

  test.each([new QueryRunnerAlreadyReleasedError(), new QueryRunnerProviderAlreadyReleasedError()])(
    '%p is a connection that broke between two statements of a transaction',
    (error) => expect(asTypeormFailure(error)).toMatchObject({ dependency: 'postgres', cause: error }),
  );

  test.each([
    ['40P01', true, false],
    ['40001', true, false],
    ['22P05', false, true],
    ['23514', false, true],
    ['23505', false, false],
    ['54000', false, true],
    ['42P01', false, false],
  ])('SQLSTATE %s: conflict %s, invalid data %s', (code, conflict, invalid) => {
    expect(isConflict(answer(code))).toBe(conflict);
    expect(isInvalidData(answer(code))).toBe(invalid);
  });
});
