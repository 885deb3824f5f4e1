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

/** The name that a tenant gives to a taxonomy, ruleset or gazetteer. */
export const rulesId = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, 'lower-case letters, digits, ".", "_" and "-"; at most 64');

/** The version of a definition, as results name it. */
export const rulesVersion = z.string().min(1).max(64);
