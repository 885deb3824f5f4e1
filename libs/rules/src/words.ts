import { z } from 'zod';

// Names go into results, logs and flags: no control or invisible characters, no lone surrogates.
const unprintable = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/u;

/** A name on one line. */
export const printable = (maxLength: number) =>
  z
    .string()
    .min(1)
    .max(maxLength)
    .refine((value) => !unprintable.test(value), 'Has characters that cannot be printed')
    .refine((value) => value === value.trim(), 'Begins or ends with white space');

/** What ids look like. */
export const rulesIdPattern = /^[a-z0-9][a-z0-9._-]{0,63}$/;

/** The name that a tenant gives to a taxonomy, ruleset or gazetteer. */
export const rulesId = z
  .string()
  .regex(rulesIdPattern, 'must be 1 to 64 lower-case letters, digits, ".", "_" and "-", the first a letter or a digit');

/** The version of a definition, as results name it. */
export const rulesVersion = z.string().min(1).max(64);
