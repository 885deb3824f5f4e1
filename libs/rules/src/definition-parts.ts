import type { z } from 'zod';

/** A kind's schema in parts, so that a long definition can be checked piece by piece. */
export interface DefinitionParts {
  /** The field whose entries make a definition long. */
  list: string;
  /** The definition, whatever its entries are. */
  head: z.ZodType<object>;
  entry: z.ZodType;
  /** What holds between entries; given a definition whose parts are right. */
  whole: z.ZodType;
  /** How many entries take a few milliseconds. */
  perStep: number;
}
