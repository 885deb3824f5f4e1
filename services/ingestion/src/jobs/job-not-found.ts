import { Problem } from '../http/problem.js';

/** The answer about a job that does not exist, or belongs to another tenant. */
export function jobNotFound(): Problem {
  return new Problem('JOB_NOT_FOUND', 'There is no job of this id among yours. GET /v1/jobs lists those there are.');
}
