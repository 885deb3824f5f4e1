import { defineReply } from '@anabranch/analysis-runtime/definition';
import { z } from 'zod';

/** What a model is asked to find: what only reading shows, and what detectors know but may miss. */
export const askedTypes = [
  'PERSON_NAME',
  'POSTAL_ADDRESS',
  'DATE_OF_BIRTH',
  'CARD',
  'IBAN',
  'EMAIL',
  'PHONE',
  'IP',
  'SSN',
  'PASSWORD',
  'API_KEY',
  'PRIVATE_KEY',
] as const;

export type AskedType = (typeof askedTypes)[number];

const shape = z.object({
  findings: z
    .array(
      z.object({
        text: z.string().describe('Verbatim: the value, without what announces it.'),
        type: z.enum(askedTypes),
      }),
    )
    .describe('Each sensitive value, once.'),
});

/** What a model is asked for. */
export const complianceReply = defineReply('compliance', shape);

/** A value that a model takes for sensitive. */
export type SuspectedValue = z.output<typeof shape>['findings'][number];

/** Most values of one reply that are looked for, and the longest. */
const maxFindings = 500;
const maxValueCharacters = 500;

/** Reads a reply about one chunk; of a value that comes twice the first type counts. @throws BadOutput */
export function readFindings(value: unknown): SuspectedValue[] {
  const suspected = new Map<string, SuspectedValue>();
  for (const { text, type } of complianceReply.read(value).findings) {
    const found = text.trim();
    if (found === '' || found.length > maxValueCharacters || suspected.size === maxFindings) continue;
    if (!suspected.has(found)) suspected.set(found, { text: found, type });
  }
  return [...suspected.values()];
}
