import type { RulesVersionInfo } from '@anabranch/database/rules';
import type { z } from 'zod';
import type { rulesVersionSchema } from './rules-schemas.js';

/** A version as the API shows it, without what it says. Versions are strings, as they are in results. */
export function rulesVersionJson(info: RulesVersionInfo): z.infer<typeof rulesVersionSchema> {
  const { id, version, effectiveFrom, createdAt, createdBy } = info;
  return {
    id,
    version: String(version),
    effectiveFrom: effectiveFrom.toISOString(),
    createdAt: createdAt.toISOString(),
    createdBy,
  };
}
