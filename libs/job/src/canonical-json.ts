/** What never changes, and its JSON. */
const constants = new WeakMap<object, string>();

/**
 * Says that an object and all in it never change: `canonicalJson` makes its JSON once, however many values it is a part of.
 * Throws what `canonicalJson` throws.
 */
export function asConstant<T extends object>(value: T): T {
  if (!constants.has(value)) constants.set(value, canonicalJson(value));
  return value;
}

/**
 * JSON in the one form of RFC 8785: sorted keys, no white space, ECMAScript numbers. Members that are `undefined` are left
 * out, as in JSON. Throws a TypeError for what JSON cannot say: NaN, infinity, a bigint, a lone surrogate, a function.
 */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'number') return canonicalNumber(value);
  if (typeof value === 'string') return canonicalString(value);
  if (Array.isArray(value))
    return `[${value.map((item) => canonicalJson(item === undefined ? null : item)).join(',')}]`;
  if (typeof value === 'object') return canonicalObject(value);
  throw new TypeError(`JSON has no form for a ${typeof value}.`);
}

function canonicalNumber(value: number): string {
  if (!Number.isFinite(value)) throw new TypeError('JSON has no form for NaN or infinity.');
  // As JSON.stringify, which takes longer to say it.
  return String(value);
}

function canonicalString(value: string): string {
  if (!value.isWellFormed()) throw new TypeError('JSON of RFC 8785 has no form for a lone surrogate.');
  return JSON.stringify(value);
}

function canonicalObject(value: object): string {
  const known = constants.get(value);
  if (known !== undefined) return known;
  const members = value as Readonly<Record<string, unknown>>;
  let json = '';
  // The default order of strings in JavaScript is by UTF-16 code unit, as RFC 8785 §3.2.3 asks.
  for (const key of Object.keys(value).sort()) {
    const member = members[key];
    if (member !== undefined) json += `${json === '' ? '' : ','}${canonicalString(key)}:${canonicalJson(member)}`;
  }
  return `{${json}}`;
}
