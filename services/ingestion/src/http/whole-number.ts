import { z } from 'zod';

/** A whole number within bounds; what is none is told which would be one. */
export function wholeNumber(min: number, max: number) {
  const error = `must be a whole number from ${min} to ${max}`;
  return z.int({ error }).min(min, { error }).max(max, { error });
}

const digits = /^\d{1,15}$/;

/** Makes a number of the digits in a query; leaves what is none as it is, for the schema to refuse. */
export const fromDigits = (value: unknown): unknown =>
  typeof value === 'string' && digits.test(value) ? Number(value) : value;

/** A whole number in a query, which may be left out. */
export function queryNumber(min: number, max: number, told: { default: number; description: string }) {
  // The OpenAPI document shows what stands inside of `preprocess`.
  return z.preprocess(fromDigits, wholeNumber(min, max).meta(told)).default(told.default);
}
