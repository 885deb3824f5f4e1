// The shapes of the answers about rules: they feed the OpenAPI document. Loose, because a client must expect further fields.
import { z } from 'zod';
import { fromDigits, wholeNumber } from '../http/whole-number.js';

const time = z.iso.datetime();

/** What the platform says of a version: a body may repeat it, as GET answered it. */
export const platformFields = {
  id: z.string().meta({ description: 'The tenant’s name for it.' }),
  version: z.string().meta({ description: 'Rises with each change; results name it.' }),
  effectiveFrom: time.meta({ description: 'Documents accepted from here on are judged by this version.' }),
  createdAt: time,
  createdBy: z.looseObject({ keyId: z.uuid(), name: z.string() }).meta({ description: 'The API key that stored it.' }),
};

export const rulesVersionSchema = z.looseObject(platformFields).meta({ id: 'RulesVersion' });

/** The query of GET on rules of one id. */
export const rulesQuery = z.strictObject({
  version: z
    .preprocess(
      fromDigits,
      wholeNumber(1, 999_999_999).optional().meta({ description: 'A former version; the newest unless given.' }),
    )
    .optional(),
});
