import type { PipeTransform } from '@nestjs/common';
import { rulesId } from '@anabranch/rules';
import { invalidRequest } from '../http/validate.js';

/**
 * Checks the id in an address of rules, whatever the method: what can be no id is the problem INVALID_REQUEST, and never
 * reaches Postgres, which refuses a NUL as a fault of the query.
 */
export const rulesIdPipe: PipeTransform<string, string> = {
  transform: (id) => {
    const { success, data, error } = rulesId.safeParse(id);
    if (success) return data;
    throw invalidRequest(
      error.issues.map((issue) => ({ ...issue, path: ['id'] })),
      'path',
    );
  },
};
